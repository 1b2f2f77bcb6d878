"""`python -m bench.dynamic`: what a target call costs within a search, beside one of direct delivery.

500 cases with 10 iterations each at 16 lanes against as many direct cases as that makes target calls, taking
turns in one sitting. CPU is that of the whole process, start-up and reports included.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median

from bench.__main__ import CLI, target
from bench.measure import measure

CASES, ITERATIONS, LANES = 500, 10, 16
CALLS = CASES * (ITERATIONS + 1)
SCRIPT = """
def attack(entry, target_module, call_judge, max_iterations, attempts_bar=None, bar_lock=None):
    answer = ""
    for number in range(1, max_iterations + 1):
        text = f"{entry['text']} {number}"
        answer, _ = target_module.process_input(text)
        with bar_lock:
            attempts_bar.update(1)
        if call_judge(entry, answer):
            return number, True, text, answer
    return max_iterations, False, entry["text"], answer
"""


def workspace(folder: Path, port: int, *, cases: int, search: str = "") -> Path:
    """A campaign of `cases` cases, each followed by a search where there is one."""
    (folder / "security").mkdir(parents=True)
    (folder / "run.yml").write_text(
        f'technology: rasa\nconnector_params: "base_url=http://127.0.0.1:{port}"\n'
    )
    (folder / "security" / "search.py").write_text(SCRIPT)
    (folder / "security" / "security.yml").write_text(
        f"execution: {{attempts: {cases}, concurrency: {LANES}, retries: 0}}\n"
        f"attacks:\n  - name: amnesia\n{search}"
    )
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--latency", type=float, default=10, help="milliseconds")
    arguments = parser.parse_args()
    block = f"    dynamic: {{attack: search.py, iterations: {ITERATIONS}}}\n"
    direct: list[float] = []
    searching: list[float] = []
    with target(arguments.latency) as port, tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.rounds):
            for costs, cases, search in ((direct, CALLS, ""), (searching, CASES, block)):
                project = workspace(Path(folder) / f"{number}-{cases}", port, cases=cases, search=search)
                cost = measure([*CLI, "--run-from-yaml", str(project), "-q"])
                costs.append(cost.cpu / CALLS * 1000)
    print(f"CPU per target call, {CALLS:,} calls at {LANES} lanes, median of {arguments.rounds} rounds:")
    print(f"  direct delivery  {median(direct):.2f} ms")
    print(f"  within a search  {median(searching):.2f} ms  ({median(searching) / median(direct):.2f} times)")


if __name__ == "__main__":
    main()
