"""The least that one event loop and `aiohttp` can do: as many connections, the same messages, nothing else.

Run as `python -m bench.floor_async PORT LANES CASES`; prints the seconds between first and last case.
"""

from __future__ import annotations

import asyncio
import sys
import time

import aiohttp


async def main(port: int, lanes: int, cases: int) -> None:
    numbers = iter(range(cases))
    url = f"http://127.0.0.1:{port}/v1/chat/completions"

    async def lane(session: aiohttp.ClientSession) -> None:
        for number in numbers:
            messages = [{"role": "user", "content": f"hello {number}"}]
            async with session.post(url, json={"model": "bench", "messages": messages}) as answer:
                answer.raise_for_status()
                completion = await answer.json()
            assert "orders" in completion["choices"][0]["message"]["content"]

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=lanes)) as session:
        started = time.perf_counter()
        await asyncio.gather(*(lane(session) for _ in range(lanes)))
        print(time.perf_counter() - started)


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:4])))
