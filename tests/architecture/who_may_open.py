"""The table of who may open which address: `ROWS`, and `POSTED` for addresses where a POST differs.

tests/architecture/test_authorization.py tries every address against it.
"""

import re

# One letter for each role: + let in, - forbidden (403), s sent to the sign-in (or 401), . not found (404).
ROLES = ("anonymous", "annotator", "excluded", "elsewhere", "researcher", "administrator")
# A researcher who belongs to another corpus: as "researcher", but what names this one is not found.
ANOTHER = "researcher of another corpus"
# Every model of the admin and who may see it; add a new one here.
MODELS = (
    "accounts/(consent|consentform|grant|qualification|user)|"
    "collection/(corpus|droppedline|entrylink|exam|examattempt|genre|ledgerentry|pair|premise|problemreport|prompt|promptversion|source|visit|writingassignment)|"
    "modeling/(evaluation|trainingrun|worker)|"
    "snapshots/(snapshot)|"
    "validation/(label|membership|question)"
)

# Rows: letters in the order of ROLES, a description, and patterns of routes.
ROWS: list[tuple[str, str, list[str]]] = [
    (
        "++++++",
        "Everybody",
        [
            r"",
            r"admin/logout/",
            r"admin/password_change/",
            r"api/v1/docs/",
            r"api/v1/schema/",
            r"api/v1/token/",
            r"favicon.ico",
            r"forgotten-password/",
            r"new-password/<str:uid>/<str:token>/",
            r"health/",
            r"metrics/",
            r"invited/<str:token>/",
            r"join/<slug:slug>/",
            r"sign-in/",
        ],
    ),
    (
        "ssssss",
        "Everybody, and then it leads to signing in again",
        [
            r"sign-out/",
        ],
    ),
    (
        "------",
        "A link without the ids of a participant lets nobody in",
        [
            r"enter/<str:token>/",
            r"come-back/<str:token>/",
        ],
    ),
    (
        "++++++",
        "Counted, whoever it is",
        [
            r"enter/<str:token>/opened/",
            r"enter/<str:token>/waits/",
        ],
    ),
    (
        "-...--",
        "Parts of the writing page: they know nobody but the writer at work",
        [
            r"work/writing/<slug:corpus>/draft/",
            r"work/writing/<slug:corpus>/skip/",
        ],
    ),
    (
        "......",
        "Nothing there: the tests have no provider of OpenID Connect but in tests/accounts/test_open_id.py",
        [
            r"sign-in/with/<slug:provider_id>/(callback/)?",
        ],
    ),
    (
        "s+++++",
        "The second step leads back to the sign-in, and whoever is signed in to their first page",
        [
            r"sign-in/second-step/",
        ],
    ),
    (
        "s+++++",
        "Whoever is signed in; whose things they are is looked at in the view",
        [
            r"api/v1/corpora/",
            r"api/v1/corpora/<slug:slug>/",
            r"api/v1/work/writing/next/",
            r"api/v1/work/writing/submit/",
            r"consent/<int:form_id>/",
            r"mine/",
            r"mine/background/",
            r"mine/consents/<int:form_id>/withdraw/",
            r"mine/data/",
            r"mine/email/",
            r"mine/erase/",
            r"mine/language/",
            r"mine/password/",
            r"mine/sessions/<int:browser_id>/end/",
            r"mine/tokens/",
            r"mine/tokens/<int:token_id>/revoke/",
            r"work/faq/<int:version>/",
            r"work/writing/<slug:corpus>/prompt/<int:version>/",
        ],
    ),
    (
        "s+++--",
        "Annotators; whether they may work on this corpus is said on the page",
        [
            r"api/v1/work/validation/correct/",
            r"api/v1/work/validation/next/",
            r"api/v1/work/validation/submit/",
            r"api/v1/work/writing/(returned|mend|decline|remarks|read)/",
            r"start/",
            r"work/exam/<slug:corpus>/",
            r"work/mine/",
            r"work/mine/writing/",
            r"work/reports/",
            r"work/visit/",
            r"work/visit/more/",
            r"work/visit/returned/",
            r"work/writing/<slug:corpus>/(remarks/)?",
        ],
    ),
    (
        "s+-+--",
        "Annotators whose work on the corpus no researcher ended",
        [
            r"work/validation/<slug:slug>/",
            r"work/validation/<slug:slug>/<slug:question_slug>/",
            r"work/validation/<slug:slug>/<slug:question_slug>/instructions/",
            r"work/validation/<slug:slug>/instructions/",
        ],
    ),
    (
        "s---++",
        "Researchers",
        [
            r"admin/",
            r"admin/login/",
            r"mine/second-factor/((app|passkey)/)?",
            r"api/v1/corpora/<slug:slug>/agreement/",
            r"api/v1/corpora/<slug:slug>/annotators/",
            r"api/v1/corpora/<slug:slug>/cross-table/",
            r"api/v1/corpora/<slug:slug>/pairs/",
            r"api/v1/corpora/<slug:slug>/(arms|reviews|sets)/",
            r"api/v1/corpora/<slug:slug>/members/(<slug:code>/)?",
            r"api/v1/corpora/<slug:slug>/withheld/(<slug:partition>/(readers/(<slug:code>/)?|release/))?",
            r"api/v1/runs/",
            r"api/v1/runs/<int:pk>/",
            r"api/v1/runs/<int:pk>/resume/",
            r"api/v1/runs/<int:pk>/stop/",
            r"api/v1/snapshots/",
            r"api/v1/snapshots/<int:pk>/",
            r"api/v1/snapshots/<int:pk>/exports/",
            r"api/v1/snapshots/<int:pk>/exports/<slug:format_name>/",
            r"api/v1/snapshots/<int:pk>/exports/<slug:format_name>/<str:name>",
            r"api/v1/snapshots/<int:pk>/files/<str:name>",
            r"api/v1/snapshots/<int:pk>/leaks/",
            r"api/v1/snapshots/<int:pk>/leaks/stop/",
            r"api/v1/snapshots/<int:pk>/learning-curves/",
            r"api/v1/snapshots/<int:pk>/hand-ins/",
            r"api/v1/snapshots/<int:pk>/marks/",
            r"api/v1/snapshots/<int:pk>/publish/",
            r"api/v1/snapshots/<int:pk>/retract/",
            r"api/v1/snapshots/<int:pk>/rows/",
            r"api/v1/(corpora/<slug:slug>|snapshots/<int:pk>|runs/<int:pk>)/figures/",
            r"api/v1/(corpora/<slug:slug>|snapshots/<int:pk>|runs/<int:pk>)/figures/<slug:name>",
            r"api/v1/snapshots/<int:pk>/tables/<slug:name>/",
            r"attention/",
            r"snapshots/<int:pk>/(pairs|changes)/",
            r"c/<slug:slug>/predictions/<id:public_id>/",
            r"c/<slug:slug>/writers/<id:code>/",
            r"c/<slug:slug>/((arms|reviews|reviews/next|preregistration|finished|paper|premises|texts|prompts|premises/(import|pair)|labelling|settings|settings/(file|crowd)|preview/(writing|labelling|instructions)|preview/exam/<slug:name>|links|invitations)/)?",
            r"c/<slug:slug>/(links|preview/end|settings/file)/<int:number>/",
            r"c/<slug:slug>/settings/file(/<int:number>)?\.toml",
            r"c/<slug:slug>/settings/(preview/|members/|state/|change/(<slug:part>/)?)",
            r"corpora/<slug:slug>/",
            r"corpora/<slug:slug>/adjudication/",
            r"corpora/<slug:slug>/advice/",
            r"corpora/<slug:slug>/agreement/(why/)?",
            r"corpora/<slug:slug>/annotators/",
            r"corpora/<slug:slug>/bias/",
            r"corpora/<slug:slug>/calibration/",
            r"corpora/<slug:slug>/controls/",
            r"corpora/<slug:slug>/more-labels/",
            r"corpora/<slug:slug>/open/",
            r"corpora/<slug:slug>/pairs/",
            r"corpora/<slug:slug>/pairs/<id:public_id>/",
            r"corpora/<slug:slug>/pay/",
            r"corpora/<slug:slug>/pilots/",
            r"corpora/<slug:slug>/pilots/<slug:prompt>/",
            r"corpora/<slug:slug>/pool/",
            r"corpora/<slug:slug>/pool/<id:code>/",
            r"corpora/<slug:slug>/reports/",
            r"corpora/<slug:slug>/vetting/",
            r"corpora/<slug:slug>/vetting/<int:number>\.csv",
            r"imports/",
            r"imports/<int:number>/",
            r"imports/new/",
            r"imports/send/",
            r"new-corpus/",
            r"runs/",
            r"runs/curves/",
            r"runs/<int:pk>/",
            r"runs/<int:pk>/(hand-in|resume|stop)/",
            r"runs/new/<int:snapshot_id>/",
            r"runs/start/<int:snapshot_id>/",
            r"runs/start/<int:snapshot_id>/<slug:name>/",
            r"search/",
            r"snapshots/",
            r"snapshots/<int:pk>/",
            r"snapshots/<int:pk>/datasheet\.md",
            r"snapshots/<int:pk>/exports/",
            r"snapshots/<int:pk>/exports/<slug:format_name>/",
            r"snapshots/<int:pk>/exports/<slug:format_name>/<str:name>",
            r"snapshots/<int:pk>/files/<str:name>",
            r"snapshots/<int:pk>/publish/",
            r"snapshots/<int:pk>/result-tables/",
            r"snapshots/<int:pk>/retract/",
            r"snapshots/<int:pk>/state/",
            r"snapshots/<int:pk>/statistics/",
            r"snapshots/<int:pk>/statistics/ask/",
            r"snapshots/<int:pk>/stop/",
            r"snapshots/<int:pk>/marking/",
            r"snapshots/<int:pk>/marking/<str:partition>/",
            r"snapshots/<int:pk>/marking/<str:partition>/count/",
            r"snapshots/<int:pk>/marking/<str:partition>\.csv",
            r"snapshots/<int:pk>/tables/(leaks/(count|stop)|<slug:name>/complete)/",
            r"snapshots/<int:pk>/tables/<slug:name>/",
            r"snapshots/<int:pk>/tables/<slug:name>\.csv",
            r"snapshots/datasheet/<slug:slug>/",
            r"snapshots/withheld/<slug:slug>/",
            r"snapshots/freeze/<slug:slug>/",
            r"snapshots/freeze/<slug:slug>/plan/",
        ],
    ),
    (
        "s---..",
        "Researchers; the sample run has no such file",
        [
            r"api/v1/runs/<int:pk>/model/",
            r"api/v1/runs/<int:pk>/predictions/",
            r"snapshots/<int:pk>/files/withheld/<str:name>",
            r"snapshots/<int:pk>/leaderboard/",
            r"runs/<int:pk>/data-map/",
            r"runs/<int:pk>/data-map\.csv",
            r"runs/<int:pk>/predictions/<str:partition>/",
            r"runs/<int:pk>/predictions/<str:partition>\.csv",
        ],
    ),
    ("s+..--", "The annotator who sent the batch", [r"work/mine/batches/<slug:token>/"]),
    (
        "s...--",
        "The writer of the sentence, who is somebody else here",
        [r"work/mine/returned/<int:number>/"],
    ),
    ("s---..", "Researchers; no pair or list is named", [r"corpora/<slug:slug>/return/", r"saved-filters/"]),
    (
        "s...--",
        "Annotators; the sample site has no such thing for them",
        [
            r"work/labelling-draft/",
            r"work/validation/<slug:slug>/<slug:question_slug>/exam/",
            r"work/validation/<slug:slug>/exam/",
            r"work/writing/<slug:corpus>/draft/discard/",
        ],
    ),
    (
        "ssss++",
        "The dashboard, for researchers to look at",
        [
            r"admin/records/",
            r"admin/<app_label>/",
            r"admin/(jsi18n|search|password_change/done)/",
            rf"admin/({MODELS})/",
            rf"admin/({MODELS})/<path:object_id>/((change|history)/)?",
            r"admin/collection/entrylink/add/",
            r"admin/accounts/grant/add/",
            r"admin/accounts/apitoken/<path:object_id>/",
        ],
    ),
    (
        "ssss-+",
        "The dashboard, for administrators alone",
        [
            r"admin/accounts/apitoken/(<path:object_id>/(change|delete|history)/)?",
            r"admin/accounts/user/add/",
            r"admin/accounts/user/<id>/password/",
        ],
    ),
    (
        "ssss--",
        "Nobody adds or deletes by hand",
        [
            rf"admin/(?!collection/entrylink|accounts/(grant|user))({MODELS})/add/",
            rf"admin/({MODELS})/<path:object_id>/delete/",
            r"admin/accounts/apitoken/add/",
            r"admin/autocomplete/",
        ],
    ),
    (
        "ssss..",
        "Nothing there",
        [
            r"admin/<url>",
            r"admin/r/<path:content_type_id>/<path:object_id>/",
        ],
    ),
]

# Routes that name a corpus, a snapshot, a run or a person of it, or something of theirs.
NAMED = [
    r"(api/v1/)?(corpora|c)/<slug:slug>/.*",
    r"(api/v1/)?snapshots/<int:pk>/(?!state/).*",  # a state that is not there leads to the list
    r"snapshots/(freeze|datasheet|withheld)/<slug:slug>/.*",
    r"(api/v1/)?runs/<int:pk>/.*",
    r"runs/(new|start)/<int:snapshot_id>/.*",
    r"imports/<int:number>/",
    r"consent/<int:form_id>/",
    r"work/faq/<int:version>/",
    r"work/writing/<slug:corpus>/prompt/<int:version>/",
    rf"admin/(?!modeling/worker)({MODELS})/<path:object_id>/(change|history)/",
]

# Where a POST, which here has no content, comes to something else than the row says.
POSTED: list[tuple[str, str, list[str]]] = [
    ("-...--", "A visitor's mended sentence is shown to them again", [r"work/mine/returned/<int:number>/"]),
    ("-...--", "The writing page knows nobody but the writer at work", [r"work/writing/<slug:corpus>/"]),
    (
        "s.-+--",
        "No batch is named; who has read the instructions comes as far as that",
        [r"work/validation/<slug:slug>/", r"work/validation/<slug:slug>/<slug:question_slug>/"],
    ),
    (
        "s---..",
        "Researchers; no such pair or member is named",
        [
            r"c/<slug:slug>/settings/members/",
            r"corpora/<slug:slug>/(adjudication|controls)/",
            r"snapshots/<int:pk>/marking/<str:partition>/",
        ],
    ),
    ("ssss-+", "Administrators alone change people", [r"admin/accounts/user/<path:object_id>/change/"]),
    (
        "ssss--",
        "Records that nobody changes by hand",
        [
            r"admin/accounts/apitoken/<path:object_id>/change/",
            rf"admin/(?!accounts/(grant|user)|collection/(entrylink|examattempt|problemreport))({MODELS})"
            r"/<path:object_id>/change/",
        ],
    ),
]


def rows_of(route: str, table: list[tuple[str, str, list[str]]] = ROWS) -> list[str]:
    """Returns the letters of the rows with a pattern that matches the route."""
    return [letters for letters, _, routes in table for pattern in routes if re.fullmatch(pattern, route)]


def letter_of(route: str, method: str, role: str) -> str:
    """Returns the letter of the table for the route, the method and the role."""
    posted = rows_of(route, POSTED) if method == "POST" else []
    letter = (posted or rows_of(route))[0][ROLES.index("researcher" if role == ANOTHER else role)]
    is_closed = role == ANOTHER and letter == "+" and any(re.fullmatch(one, route) for one in NAMED)
    return "." if is_closed else letter
