"""Fits and measures the refusal detector: `python bench/refusals.py --data FILE [--write]`.

FILE is the labelled replies of XSTest as CSV with the columns model, completion and label (Röttger et al.,
NAACL 2024, doi 10.18653/v1/2024.naacl-long.301); label 1_full_compliance is no refusal, all others are.
Without --data only our own samples and the time per reply are measured.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from sensei_kumite.oracles.refusal_features import features, read
from sensei_kumite.oracles.refusals import find_refusal

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "bench/refusal_examples.yml"
SAMPLES = (ROOT / "tests/oracles/refusal_samples.yml", ROOT / "tests/oracles/refusal_samples_late.yml")
WEIGHTS = ROOT / "src/sensei_kumite/resources/refusals/weights.yml"
THRESHOLD = 0.5
HEADER = """\
# The weights of the refusal detector: a logistic regression over the features of refusal_features.py.
# Made by `python bench/refusals.py --data FILE --write`, from the labelled replies of XSTest
# (Röttger et al., NAACL 2024, doi 10.18653/v1/2024.naacl-long.301; identical replies counted once)
# together with bench/refusal_examples.yml. Do not edit by hand; see docs/refusals.md.
"""


class Labelled(NamedTuple):
    """A reply with what a person says about it; `kind` is full, partial or none."""

    group: str
    kind: str
    text: str


class Fit(NamedTuple):
    """A fitted model: the probability of a refusal is the logistic of intercept + weights · features."""

    intercept: float
    weights: dict[str, float]

    def refuses(self, text: str) -> bool:
        total = sum(self.weights[name] * value for name, value in features(read(text)).items())
        return self.intercept + total >= 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="CSV of labelled replies")
    parser.add_argument("--write", action="store_true", help="fit on all of FILE and rewrite the weights")
    arguments = parser.parse_args()
    if arguments.write and not arguments.data:
        parser.error("--write needs --data")
    replies = load_replies(arguments.data) if arguments.data else []
    if replies:
        compare_models(replies)
        if arguments.write:
            write_weights(fit([*replies, *load_samples(EXAMPLES)]))
            print(f"\nwritten: {WEIGHTS} (run again without --write to measure it)")
            return
        print("\nshipped weights, on the data they were fitted to")
        measure("all models", replies, is_refusal)
    measure_samples()
    measure_time(replies)


def load_replies(path: Path) -> list[Labelled]:
    kinds = {"1_full_compliance": "none", "2_full_refusal": "full", "3_partial_refusal": "partial"}
    with path.open(encoding="utf-8", newline="") as stream:
        return [
            Labelled(row["model"], kinds[row["label"]], row["completion"]) for row in csv.DictReader(stream)
        ]


def load_samples(path: Path) -> list[Labelled]:
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        Labelled(language, kind, text)
        for language, kinds in document.items()
        for kind, texts in kinds.items()
        for text in texts
    ]


def fit(replies: Sequence[Labelled]) -> Fit:
    """Logistic regression with the usual L2 penalty; a reply that occurs many times counts once."""
    from sklearn.linear_model import LogisticRegression

    unique = list({reply.text: reply for reply in replies}.values())
    rows = [features(read(reply.text)) for reply in unique]
    names = list(rows[0])
    model = LogisticRegression(C=3.0, max_iter=5000)
    model.fit([[row[name] for name in names] for row in rows], [reply.kind != "none" for reply in unique])
    return Fit(float(model.intercept_[0]), dict(zip(names, map(float, model.coef_[0]), strict=True)))


def compare_models(replies: Sequence[Labelled]) -> None:
    """Fit on one model's replies, measure on another's, all ways; with and without our examples."""
    groups = sorted({reply.group for reply in replies})
    for extra, title in ((load_samples(EXAMPLES), "and our examples"), ([], "alone")):
        print(f"\nfitted on one model {title}, measured on another")
        for source in groups:
            model = fit([*(reply for reply in replies if reply.group == source), *extra])
            for other in groups:
                if other != source:
                    tested = [reply for reply in replies if reply.group == other]
                    measure(f"{source} -> {other}", tested, model.refuses)


def measure_samples() -> None:
    for path in SAMPLES:
        samples = load_samples(path)
        print(f"\nshipped weights, {path.name} (never fitted)")
        for language in sorted({sample.group for sample in samples}):
            measure(language, [sample for sample in samples if sample.group == language], is_refusal)
        found = [(sample.kind, find_refusal(sample.text)) for sample in samples if sample.kind != "none"]
        right = sum(refusal is not None and refusal.kind == kind for kind, refusal in found)
        print(f"  kind right: {right} of {len(found)} refusals")


def is_refusal(text: str) -> bool:
    return find_refusal(text) is not None


def measure(title: str, replies: Sequence[Labelled], refuses: Callable[[str], bool]) -> None:
    pairs = [(reply.kind != "none", refuses(reply.text)) for reply in replies]
    hits = sum(truth and found for truth, found in pairs)
    precision = hits / max(1, sum(found for _, found in pairs))
    recall = hits / max(1, sum(truth for truth, _ in pairs))
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    print(f"  {title:24} n {len(pairs):4}  precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.4f}")


def measure_time(replies: Sequence[Labelled]) -> None:
    """Processor time per reply: of our samples, of samples joined to nearly 2 kB, and of the data."""
    texts = [sample.text for path in SAMPLES for sample in load_samples(path)]
    joined = " ".join(texts)
    dense = [joined[start : start + 1900] for start in range(0, len(joined) - 1900, 1900)]
    long = [reply.text for reply in replies if 1000 <= len(reply.text) < 2000]
    print("\nmilliseconds of processor time per reply, median of 10 rounds")
    for title, batch in (("our samples", texts), ("our samples, joined", dense), ("data, 1-2 kB", long)):
        if batch:
            mean = sum(map(len, batch)) // len(batch)
            print(
                f"  {title:24} {statistics.median(_round(batch) for _ in range(10)):.3f} ({mean} characters)"
            )


def _round(batch: Sequence[str]) -> float:
    start = time.process_time()
    for text in batch:
        find_refusal(text)
    return (time.process_time() - start) / len(batch) * 1000


def write_weights(model: Fit) -> None:
    lines = [f"threshold: {THRESHOLD}", f"intercept: {model.intercept:.2f}", "weights:"]
    lines += [f"  {name}: {weight:.2f}" for name, weight in model.weights.items()]
    WEIGHTS.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
