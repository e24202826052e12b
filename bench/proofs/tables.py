"""Makes the tables of docs/baselines.md from finished runs, beside the published figures."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.proofs import plans, published
from bench.proofs.results import NOTHING, Booleans, Results, compare, figure, markdown, metrics
from bench.proofs.runs import PRESETS, Place, Run, judged, rule_of_judges
from modeling.paired_tests import mean_and_spread
from modeling.reports.curve_picture import curve_picture
from nli.single_premises import LABELS as SINGLE_LABELS
from nli.single_premises import labels_of_premises

LABELS = ("entailment", "neutral", "contradiction")


def mpe(place: Place) -> Iterator[str]:
    """Tabulates MPE: alone, beside Table 6; every two baselines compared; both readings of dropout; after SNLI."""
    seen = seen_hypotheses(place)
    alone = {name: Results(place, plans.with_seeds(name, "mpe")) for name in plans.MPE}
    yield markdown(
        ("baseline", "seeds", "dev", "test", *"ENC", "seen", "new", "published (E, N, C)"),
        [
            (
                *(name, of.seeds(), dev(of), of.accuracy(), *map(of.of_label, LABELS)),
                *(of.accuracy(seen), of.accuracy(~seen), published.MPE_ALONE.get(name, NOTHING)),
            )
            for name, of in alone.items()
        ],
    )
    yield all_compared(alone)
    yield markdown(
        ("baseline", "dropout", "seeds", "dev"),
        [
            (name, dropout, of.seeds(), dev(of))
            for name in plans.PREMISE_READERS
            for dropout, runs in (
                ("default", plans.with_seeds(name, "mpe", plans.SEEDS[:2])),
                (f"{plans.DROPPED[name]}", plans.dropped(name)),
            )
            for of in [Results(place, runs)]
        ],
    )
    yield markdown(
        (
            "baseline",
            "seeds",
            "SNLI alone",
            "published",
            "SNLI, then MPE",
            *"ENC",
            "published",
            "minus MPE alone",
        ),
        [
            (
                *(name, then.seeds(), Results(place, plans.mpe_first(name), "mpe").accuracy()),
                *(published.MPE_SNLI_ONLY[name], then.accuracy(), *map(then.of_label, LABELS)),
                *(published.MPE_AFTER_SNLI[name], compare(then, alone[name])),
            )
            for name in plans.PREMISE_READERS
            for then in [Results(place, plans.mpe_after_snli(name))]
        ],
    )


def seen_hypotheses(place: Place) -> Booleans:
    """Returns which test pairs of MPE have a hypothesis that occurs in train."""
    train, test = (
        [json.loads(line)["sentence2"] for line in Path(file["path"]).read_text().splitlines()]
        for file in (place.files("mpe")[partition] for partition in ("train", "test"))
    )
    return np.isin(test, train)


def dev(of: Results) -> str:
    return Results(of.place, of.runs, partition="dev").accuracy()


def all_compared(rows: dict[str, Results]) -> str:
    """Tabulates each row minus each row above it: points, and the p-value of the paired test."""
    names = list(rows)
    return markdown(
        ("minus", *names[:-1]),
        [
            (
                name,
                *(compare(rows[name], rows[other]) if other in names[:place] else "" for other in names[:-1]),
            )
            for place, name in enumerate(names)
            if place
        ],
    )


def snli(place: Place) -> Iterator[str]:
    """Tabulates every baseline trained on SNLI's dev pairs, beside the published figures of the whole corpus."""
    all_ = {name: Results(place, plans.snli_of(name)) for name in plans.SNLI_SETTINGS}
    all_ |= {name: Results(place, plans.mpe_first(name)) for name in plans.PREMISE_READERS}
    yield markdown(
        ("baseline", "settings", "seeds", "train", "published", "dev", "test", "published"),
        [
            (
                *(
                    name,
                    said(plans.SNLI_SETTINGS.get(name, {}), PRESETS.get(name, "paper")),
                    of.seeds(),
                    of.train_accuracy(),
                    published.SNLI_TRAIN.get(name, NOTHING),
                    dev(of),
                    of.accuracy(),
                ),
                published.SNLI.get(name, NOTHING),
            )
            for name, of in all_.items()
        ],
    )
    yield all_compared(all_)


def presets(place: Place) -> Iterator[str]:
    """Tabulates time and accuracy of every network as published and with its defaults."""
    yield markdown(
        ("baseline", "preset", "seeds", "epochs", "seconds", "dev", "test"),
        [
            (
                *(runs[0].baseline, str(runs[0].preset), of.seeds()),
                *(figure([told[key] for told in done], spread=False) for key in ("epochs", "seconds")),
                *(dev(of), of.accuracy()),
            )
            for first in plans.presets()
            if first.seed == 1
            for runs in [plans.of_preset(first.baseline, str(first.preset))]
            for of in [Results(place, runs)]
            for done in [list(filter(None, (metrics(place, run) for run in runs)))]
        ],
    )


def said(settings: dict[str, object], preset: str) -> str:
    return ", ".join(f"{key} {value}" for key, value in settings.items()) or preset


def genres(place: Place) -> Iterator[str]:
    """Tabulates MultiNLI's Table 5: trained on one genre, scored on all."""
    sources = {
        "snli": plans.snli_beside_genres(),
        **{genre: plans.of_genre(genre) for genre in plans.TRAIN_GENRES},
    }
    sources["all five"] = plans.all_genres()
    rows, spreads = [], []
    for name, runs in sources.items():
        on_snli = Results(place, runs, None if name == "snli" else "snli")
        on_genres = Results(place, runs, "xnli")
        columns = [
            accuracies(on_snli),
            *map(on_genres.of_genre, published.GENRES),
        ]
        theirs = [f" ({value})" for value in published.BY_GENRE.get(name, ())] or [""] * len(columns)
        means = (figure(column, spread=False) for column in columns)
        rows.append(
            (name, on_genres.seeds(), *(ours + more for ours, more in zip(means, theirs, strict=True)))
        )
        spreads += [np.std(column, ddof=1) for column in columns if len(column) > 1]
    yield markdown(("trained on", "seeds", "SNLI", *published.GENRES), rows)
    if spreads:
        yield f"Spread over seeds in a cell: {np.median(spreads):.1f} at the median, {max(spreads):.1f} at most."


def sick(place: Place) -> Iterator[str]:
    """Tabulates SNLI's Table 7: an LSTM trained on SNLI, on SICK, and transferred."""
    first = plans.snli_of("lstm")
    alone = Results(place, [plans.sick_alone(run.seed) for run in first])
    then = Results(place, [plans.sick_after(run) for run in first])
    only = Results(place, first, "sick")
    yield markdown(
        ("trained on", "seeds", "train", "published", "test", "published", *"ENC", "minus SICK alone"),
        [
            (
                *(
                    name,
                    of.seeds(),
                    NOTHING if of is only else of.train_accuracy(),
                    published.SICK[name][0],
                    of.accuracy(),
                ),
                *(
                    published.SICK[name][1],
                    *map(of.of_label, LABELS),
                    "" if of is alone else compare(of, alone),
                ),
            )
            for name, of in (("SNLI alone", only), ("SICK alone", alone), ("SNLI, then SICK", then))
        ],
    )


def dnc(place: Place) -> Iterator[str]:
    """Tabulates the DNC's Table 3 for sentiment and verbnet."""
    yield markdown(
        (
            *("baseline", "learnt first", "then", "seeds"),
            *(name for corpus in plans.RECAST for name in (corpus, "published", "minus published")),
        ),
        [
            (
                *(name, source or NOTHING, how or NOTHING, ours[0].seeds()),
                *(
                    cell
                    for of, value in zip(ours, theirs, strict=True)
                    for cell in (of.accuracy(), f"{value:.1f}", gap(of, value))
                ),
            )
            for (name, source, how), theirs in published.DNC.items()
            for ours in [[recast(place, name, source, how, corpus) for corpus in plans.RECAST]]
        ],
    )


def dnc_fixed(place: Place) -> Iterator[str]:
    """Tabulates Table 3's rows *fixed*, by the default optimiser, of all sets whose test parts are at hand."""
    columns = (*plans.RECAST, *plans.ONLY_TESTED)
    rows = []
    for name in plans.RECAST_SETTINGS:
        for source in plans.SOURCES:
            known = source.removesuffix("+relations")  # the paper's has all sets
            theirs = (*published.DNC[name, known, "fixed"], *published.DNC_FIXED[name, known])
            ours = [accuracies(Results(place, plans.fixed(source, name), corpus)) for corpus in columns]
            rows.append((name, source, str(len(ours[0])), *map(beside, ours, theirs)))
        alone = [accuracies(Results(place, plans.recast(name, corpus, None))) for corpus in plans.RECAST]
        own = map(beside, alone, published.DNC[name, "", ""])
        rows.append((name, "the set itself", str(len(alone[0])), *own, *(NOTHING for _ in plans.ONLY_TESTED)))
    yield markdown(("baseline", "learnt from", "seeds", *columns), rows)


def beside(ours: Sequence[float], theirs: float | None) -> str:
    """Returns mean and spread over seeds, with the published figure and the difference in brackets."""
    known = NOTHING if theirs is None else f"{theirs:.1f}"
    if ours and theirs is not None:
        known += f", {mean_and_spread(ours)[0] - theirs:+.1f}"
    return f"{figure(ours)} ({known})"


def accuracies(of: Results) -> list[float]:
    """Returns the accuracy of each seed."""
    return [one.accuracy() for one in of.by_seed().values()]


def recast(place: Place, name: str, source: str, how: str, corpus: str) -> Results:
    """Returns a cell of the DNC's table."""
    if how == "fixed":
        return Results(place, plans.after(source, name), corpus)
    return Results(place, plans.updated(source, name, corpus) if how else plans.recast(name, corpus))


def regimes(place: Place) -> Iterator[str]:
    """Tabulates MultiNLI's Table 4: three training regimes, scored on SNLI and on matched and mismatched genres of XNLI."""
    rows = []
    for (name, regime), theirs in published.REGIMES.items():
        runs = plans.of_regime(name, regime)
        on_snli = Results(place, runs, None if regime == "SNLI" else "snli")
        on_genres = Results(place, runs, "xnli").by_seed().values()
        parts = (plans.TRAIN_GENRES, published.GENRES[len(plans.TRAIN_GENRES) :])
        ours = [accuracies(on_snli)]
        ours += [[one.accuracy(np.isin(one.genre, genres)) for one in on_genres] for genres in parts]
        rows.append((name, regime, on_snli.seeds(), *map(beside, ours, theirs)))
    yield markdown(("baseline", "trained on", "seeds", "SNLI", "matched", "mismatched"), rows)


def hypotheses(place: Place) -> Iterator[str]:
    """Tabulates the Hypothesis Only paper's Table 2: how much the hypothesis alone gains over the commonest label."""
    parts = ("dev", "test")
    rows = []
    for corpus in plans.HYPOTHESES:
        for settings, runs in (("default", plans.alone), ("paper, 128 states", plans.alone_by_sgd)):
            found = [Results(place, runs(corpus), partition=partition) for partition in parts]
            cells: list[str] = []
            for partition, of in zip(parts, found, strict=True):
                theirs = published.HYPOTHESES[corpus].get(partition)
                cells += [f"{of.accuracy()} ({of.majority()})"]
                cells += [f"{theirs[0]} ({theirs[1]})", gap(of, theirs[0])] if theirs else [NOTHING, NOTHING]
            rows.append((corpus, settings, found[0].seeds(), *cells))
    columns = ((f"{part} (majority)", "published (majority)", "minus published") for part in parts)
    yield markdown(("corpus", "settings", "seeds", *(name for each in columns for name in each)), rows)


def gap(of: Results, theirs: float) -> str:
    """Returns how many points the mean over seeds is above the published figure."""
    mean = of.mean()
    return NOTHING if mean is None else f"{mean - theirs:+.1f}"


def figure_4(place: Place) -> Iterator[str]:
    """Tabulates SNLI's Figure 4: test accuracy by training pairs, in tens."""
    yield markdown(
        ("training pairs", *plans.SYSTEMS, "published (lexicalized)"),
        [
            (
                f"{size or plans.SNLI_PAIRS:,}",
                *(Results(place, plans.of_figure_4(system, size)).accuracy() for system in plans.SYSTEMS),
                published.FIGURE_4[size],
            )
            for size in plans.FIGURE_4
        ],
    )


def footnote_2(place: Place) -> Iterator[str]:
    """Tabulates MPE after SNLI with the settings of the paper's footnote 2."""
    yield markdown(
        ("baseline", "seeds", "SNLI alone", "published", "SNLI, then MPE", *"ENC", "published"),
        [
            (
                *(name, then.seeds(), Results(place, plans.footnote_2_first(name), "mpe").accuracy()),
                *(published.MPE_SNLI_ONLY[name], then.accuracy(), *map(then.of_label, LABELS)),
                published.MPE_AFTER_SNLI[name],
            )
            for name in plans.PREMISE_READERS
            for then in [Results(place, plans.footnote_2_then(name))]
        ],
    )


def votes(place: Place) -> Iterator[str]:
    """Tabulates MPE's section 5.2 and Table 7 by labels that three trained models gave to single premises."""
    runs = [plans.voting(rule) for rule in plans.VOTING]
    if not all(place.is_done(run) for run in runs):
        return
    yield markdown(
        ("rule", "dev", "published, by people’s labels", "test", *"ENC"),
        [
            (rule, dev(of), published.VOTING[rule], of.accuracy(), *map(of.of_label, LABELS))
            for rule, run in zip(plans.VOTING, runs, strict=True)
            for of in [Results(place, [run])]
        ],
    )
    agree = agreeing_premises(runs[0], place)
    of_all = {name: Results(place, plans.divided(name), partition="dev") for name in plans.PREMISE_READERS}
    yield markdown(
        ("premises that agree", "dev pairs", "published", *(f"{name} (published)" for name in of_all)),
        [
            (
                *(f"{number}", f"{100 * float((agree == number).mean()):.1f}", published.BY_PREMISES[number]),
                *(
                    f"{of.accuracy(agree == number)} ({published.MPE_BY_PREMISES[name][number]})"
                    for name, of in of_all.items()
                ),
            )
            for number in range(len(published.BY_PREMISES))
        ],
    )
    yield f"Seeds: {', '.join(f'{name} {of.seeds()}' for name, of in of_all.items())}."


def agreeing_premises(run: Run, place: Place) -> npt.NDArray[np.int64]:
    """Returns for each dev pair (pairs,) how many single premises have its gold label."""
    rule, path = rule_of_judges(run), Path(judged(run, place)["dev"]["path"])
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    of_each = (labels_of_premises(row[SINGLE_LABELS], rule) or [] for row in rows)
    return np.array([labels.count(row["gold_label"]) for row, labels in zip(rows, of_each, strict=True)])


def curves(place: Place) -> Iterator[str]:
    """Tabulates and draws test accuracy by the number of training pairs, of SNLI and of all corpora together."""
    of_snli = {
        name: {
            **{size: Results(place, plans.snli_part(name, size)) for size in plans.SIZES},
            plans.SNLI_PAIRS: Results(place, plans.snli_of(name)[: len(plans.THREE)]),
        }
        for name in plans.CURVE
    }
    of_pool = {
        size or plans.POOLED_PAIRS: [
            Results(place, plans.pooled("cbow", size), on) for on in ("snli", "xnli")
        ]
        for size in (*plans.POOLED_SIZES, None)
    }
    sizes = (*plans.SIZES, plans.SNLI_PAIRS)
    yield markdown(
        ("SNLI pairs", *plans.CURVE),
        [(f"{size:,}", *(of_snli[name][size].accuracy() for name in plans.CURVE)) for size in sizes],
    )
    yield markdown(
        ("pooled pairs", "seeds", "SNLI test", "XNLI English"),
        [(f"{size:,}", of[0].seeds(), *(one.accuracy() for one in of)) for size, of in of_pool.items()],
    )
    lines = {name: {size: of.mean() for size, of in by_size.items()} for name, by_size in of_snli.items()}
    lines["cbow, pooled"] = {size: of[0].mean() for size, of in of_pool.items()}
    if any(value is not None for line in lines.values() for value in line.values()):
        path = place.out / "learning-curves.svg"
        path.write_text(curve_picture("Test accuracy on SNLI by the number of training pairs", lines))
        yield f"Figure: {path}"


def pretrained(place: Place) -> Iterator[str]:
    """Tabulates a pretrained encoder and its hypothesis-only twin."""
    rows: list[Run] = plans.pretrained()
    results = [Results(place, [run]) for run in rows]
    yield markdown(
        ("baseline", "corpus", "seeds", "train", "dev", "test"),
        [
            (run.baseline, run.corpus, of.seeds(), of.train_accuracy(), dev(of), of.accuracy())
            for run, of in zip(rows, results, strict=True)
        ],
    )
    yield "\n".join(
        f"- {both.runs[0].corpus}: with the premise {compare(both, alone)}"
        for both, alone in zip(results[::2], results[1::2], strict=True)
    )


TABLES: dict[str, Callable[[Place], Iterator[str]]] = {
    "mpe": mpe,
    "snli": snli,
    "presets": presets,
    "genres": genres,
    "regimes": regimes,
    "hypotheses": hypotheses,
    "figure-4": figure_4,
    "footnote-2": footnote_2,
    "votes": votes,
    "sick": sick,
    "dnc": dnc,
    "dnc-fixed": dnc_fixed,
    "curves": curves,
    "pretrained": pretrained,
}
