"""Lists of English words for the rules."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The English list of the Snowball project, which NLTK ships as well. With it the published MPE training items have
# the published overlap of .28 ± .22 (.34, .28 and .23 by label).
STOP_WORDS = _words(
    """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves what which who whom this that these those am is
    are was were be been being have has had having do does did doing a an the and but if or because as until
    while of at by for with about against between into through during before after above below to from up
    down in out on off over under again further then once here there when where why how all any both each few
    more most other some such no nor not only own same so than too very s t can will just don should now
    """
)

ARTICLES = _words("a an the")

# Without these words a sentence says the opposite or another thing.
KEPT_WORDS = _words(
    """
    almost barely empty fake former hardly imaginary mock nearly never no not only other pretend same toy
    """
)

# `a pair of shoes`: without its second half the phrase says nothing.
MEASURES = _words(
    """
    back bit bottle bottom bowl bunch couple cup edge end front glass kind lot middle number pair part piece
    plate set side slice sort top type variety
    """
)

# `a group of people surfing`: the group surfs as well.
COLLECTIVES = _words("band bunch class couple crowd family gathering group line pair row team")

# The first visible sense of these in WordNet is another one than a caption's.
MISREAD = _words("female game left male right")

# So far up in WordNet nobody describes a scene any more; or the word has no plural and takes no `a`. Of the 8,000
# published training items 20 have `person` and none has `adult`.
TOO_GENERAL = _words(
    """
    abstraction act action activity adult array attribute cause chemical clothing communication container content
    device diversion entity equipment event fluid food furniture gathering grouping implement instrument
    instrumentality liquid location material matter measure object organism part person phenomenon portion possession
    process property quality quantity relation relative signal solid state structure substance thing tract
    transport unit weather whole young
    """
)
