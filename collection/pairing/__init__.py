"""Machine-paired items: scenes of five captions become premises of four with simplified captions as hypotheses.

After Lai, Bisk and Hockenmaier (2017), "Natural Language Inference from Multiple Premises", section 4.1. Our rules
work on a dependency parse where theirs read a denotation graph (Young et al., 2014).

No Django in here. The parser (spaCy) is heavy: the command that pairs imports this package, no web process does.
"""
