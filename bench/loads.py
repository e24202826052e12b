"""The loads that the section `labelling` puts on the site: those of the command line, or those of the whole table."""

import argparse
from dataclasses import dataclass

SIZES = (2_000, 400_000)
CROWDS = (1, 8, 32, 128)
AIM = 560  # labels a second


@dataclass(frozen=True)
class Load:
    """A load. `rate`: labels per second of all annotators together, 0 for no limit.

    `by_label`: one request for each label.
    """

    annotators: int
    login: str = "session"
    by_label: bool = False
    rate: float = 0
    seconds: float = 10


TABLE = (
    *(Load(number) for number in CROWDS),
    Load(32, rate=AIM),
    Load(32, by_label=True),
    Load(32, login="token"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("labelling", "Without --annotators: the whole table.")
    group.add_argument("--annotators", type=int, nargs="+", help="how many at once, one row each")
    group.add_argument("--login", choices=("session", "token"), default="session", help="pages, or REST")
    group.add_argument("--save", choices=("batch", "label"), default="batch", help="what one submit holds")
    group.add_argument("--rate", type=float, default=0, help="labels a second of all; 0: as fast as it goes")
    group.add_argument("--seconds", type=float, default=10, help="for one row")
    group.add_argument("--sqlite", action="store_true", help="on SQLite, in a file of its own")


def asked_for(options: argparse.Namespace) -> list[Load]:
    """Returns the loads that the command line names; none if it names none."""
    return [
        Load(number, options.login, options.save == "label", options.rate, options.seconds)
        for number in options.annotators or ()
    ]
