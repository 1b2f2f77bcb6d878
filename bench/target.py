"""A target with a fixed latency that is never the bottleneck: speaks Rasa's REST channel on asyncio.

Run as `python -m bench.target LATENCY_MS`; prints its port on the first line.
"""

from __future__ import annotations

import asyncio
import sys

from aiohttp import web


async def serve(latency: float) -> None:
    async def answer(request: web.Request) -> web.Response:
        message = await request.json()
        await asyncio.sleep(latency)
        return web.json_response(
            [{"recipient_id": message["sender"], "text": "I can only help with orders."}]
        )

    application = web.Application()
    application.router.add_post("/webhooks/rest/webhook", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=512)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]) / 1000))
