"""The least that threads and `requests` can do: as many lanes, the same messages, nothing else.

Run as `python -m bench.floor PORT LANES CASES`; prints the seconds between first and last case.
"""

from __future__ import annotations

import sys
import threading
import time

import requests


def main(port: int, lanes: int, cases: int) -> None:
    numbers = iter(range(cases))
    lock = threading.Lock()
    url = f"http://127.0.0.1:{port}/webhooks/rest/webhook"

    def lane() -> None:
        with requests.Session() as session:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                answer = session.post(
                    url, json={"sender": f"user_{number}", "message": f"hello {number}"}, timeout=60
                )
                answer.raise_for_status()
                assert "orders" in answer.json()[0]["text"]

    threads = [threading.Thread(target=lane) for _ in range(lanes)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(time.perf_counter() - started)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
