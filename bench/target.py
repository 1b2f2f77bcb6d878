"""A target with a fixed latency that is never the bottleneck: asyncio behind three protocols.

It speaks Rasa's REST channel, chat completions, and plain JSON at /chat. Run as
`python -m bench.target LATENCY_MS`; prints its port on the first line.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from aiohttp import web

TEXT = "I can only help with orders."


def rasa(message: Any) -> Any:
    return [{"recipient_id": message["sender"], "text": TEXT}]


def completions(message: Any) -> Any:
    choice = {"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}
    return {"object": "chat.completion", "model": message["model"], "choices": [choice]}


def chat(message: Any) -> Any:
    return {"session": message["session"], "reply": TEXT}


async def serve(latency: float) -> None:
    def route(protocol: Callable[[Any], Any]) -> Callable[[web.Request], Any]:
        async def answer(request: web.Request) -> web.Response:
            message = await request.json()
            await asyncio.sleep(latency)
            return web.json_response(protocol(message))

        return answer

    application = web.Application()
    application.router.add_post("/webhooks/rest/webhook", route(rasa))
    application.router.add_post("/v1/chat/completions", route(completions))
    application.router.add_post("/chat", route(chat))
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=512)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]) / 1000))
