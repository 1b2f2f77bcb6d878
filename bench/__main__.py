"""`python -m bench`: throughput at 1, 4, 16 and 64 lanes beside a bare client, memory, and start-up times.

The floor and our run alternate against one target process, so that a drift of the machine's speed meets both.
Figures are medians over the rounds; CPU and memory are of whole processes, start-up and reports included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from bench.measure import Cost, measure

LATENCY_MS = 50
CASES = {1: 200, 4: 800, 16: 2000, 64: 2000}
CLI = [sys.executable, "-m", "sensei_kumite"]
PARAMS: dict[str, Callable[[str], dict[str, Any]]] = {
    "rasa": lambda url: {"base_url": url},
    "openai": lambda url: {"base_url": f"{url}/v1", "model": "bench"},
    "http": lambda url: {
        "url": f"{url}/chat",
        "body": {"session": "{{session}}", "message": "{{message}}"},
        "response_path": "$.reply",
    },
}
FLOORS = {"bench.floor": ("rasa",), "bench.floor_async": ("openai", "http")}
LANES = {"bench.floor": [*CASES], "bench.floor_async": [64]}
EXAMPLE = Path(__file__).parent.parent / "examples" / "pizza-order"


@contextmanager
def target(latency_ms: float) -> Iterator[int]:
    """The port of a running target."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.target", str(latency_ms)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def workspace(folder: Path, port: int, technology: str, cases: int, lanes: int) -> Path:
    """A campaign of `cases` cases with a keyword oracle."""
    project = folder / f"{technology}-{cases}-{lanes}"
    (project / "security").mkdir(parents=True, exist_ok=True)
    run_file = {"technology": technology, "connector_params": PARAMS[technology](f"http://127.0.0.1:{port}")}
    (project / "run.yml").write_text(yaml.safe_dump(run_file))
    (project / "security" / "security.yml").write_text(
        f"execution: {{attempts: {cases}, concurrency: {lanes}, retries: 0}}\nattacks:\n  - name: amnesia\n"
    )
    return project


def run_ours(project: Path) -> tuple[Cost, float]:
    """The cost of one campaign and the seconds its conversations took, from the report."""
    cost = measure([*CLI, "--run-from-yaml", str(project), "-q"])
    report = Path(cost.out.strip())
    with report.open() as stream:
        first = next(yaml.load_all(stream, Loader=yaml.CSafeLoader))
    assert first["summary"]["resilient"] == first["summary"]["total"], first["summary"]
    with report.open() as stream:
        seconds = next(float(line.split(":")[1]) for line in stream if line.startswith("conversation time:"))
    return cost, seconds


def throughput(folder: Path, rounds: int, lane_counts: list[int] | None, technologies: Iterable[str]) -> None:
    """Cases per second and CPU per case, ours and the floor's, alternating."""
    print(
        f"\nthroughput: target latency {LATENCY_MS} ms, keyword oracle, reports written, median of {rounds} "
        "alternating rounds; the floor is threads with requests for rasa, aiohttp for openai and http"
    )
    print(
        f"{'':>8}{'lanes':>6}{'cases':>7}{'ideal/s':>9}{'floor/s':>9}{'ours/s':>8}{'ours/floor':>12}"
        f"{'ours/ideal':>12}{'floor ms CPU':>14}{'ours ms CPU':>13}{'ratio':>7}{'ours MB':>9}"
    )
    with target(LATENCY_MS) as port:
        for floor, contenders in FLOORS.items():
            chosen = [name for name in contenders if name in technologies]
            for lanes in (lane_counts or LANES[floor]) if chosen else ():
                compare(folder, port, rounds, lanes, floor, chosen)


def compare(folder: Path, port: int, rounds: int, lanes: int, floor: str, technologies: list[str]) -> None:
    """One row for each technology, all measured in the same rounds beside the floor."""
    cases = CASES[lanes]
    floors: list[Cost] = []
    ours: dict[str, list[tuple[Cost, float]]] = {name: [] for name in technologies}
    for _ in range(rounds):
        floors.append(measure([sys.executable, "-m", floor, str(port), str(lanes), str(cases)]))
        for name, runs in ours.items():
            runs.append(run_ours(workspace(folder, port, name, cases, lanes)))
    ideal = lanes / (LATENCY_MS / 1000)
    floor_rate = cases / median(float(cost.out) for cost in floors)
    floor_cpu = median(cost.cpu for cost in floors) / cases * 1000
    for name, runs in ours.items():
        rate = cases / median(seconds for _, seconds in runs)
        cpu = median(cost.cpu for cost, _ in runs) / cases * 1000
        peak = median(cost.memory for cost, _ in runs)
        print(
            f"{name:>8}{lanes:>6}{cases:>7}{ideal:>9.0f}{floor_rate:>9.0f}{rate:>8.0f}"
            f"{rate / floor_rate:>12.2f}{rate / ideal:>12.2f}"
            f"{floor_cpu:>14.2f}{cpu:>13.2f}{cpu / floor_cpu:>7.2f}{peak:>9.0f}"
        )


def memory(folder: Path) -> None:
    """Peak memory of a small and a large campaign: flat in the number of cases."""
    with target(0) as port:
        small, large = (
            run_ours(workspace(folder, port, "rasa", cases, 16))[0].memory for cases in (100, 10_000)
        )
    print(f"\nmemory: 100 cases {small:.0f} MB, 10,000 cases {large:.0f} MB, ratio {large / small:.2f}")


def start_up(rounds: int) -> None:
    """Wall seconds of commands that should answer at once."""
    print("\nstart-up, median wall seconds")
    for arguments in (["--help"], ["--list-attacks"], ["--run-from-yaml", str(EXAMPLE), "--validate-only"]):
        seconds = median(measure([*CLI, *arguments]).wall for _ in range(rounds + 2))
        print(f"  {seconds:.2f} s  {arguments[-1]}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lanes", type=int, nargs="*", choices=CASES)
    parser.add_argument("--only", choices=["start-up", "memory", "throughput"])
    parser.add_argument("--technologies", choices=PARAMS, nargs="*", default=list(PARAMS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.only in (None, "start-up"):
            start_up(options.rounds)
        if options.only in (None, "memory"):
            memory(Path(folder))
        if options.only in (None, "throughput"):
            throughput(Path(folder), options.rounds, options.lanes, options.technologies)


if __name__ == "__main__":
    main()
