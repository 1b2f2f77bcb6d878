"""The model server itself, asked without a library in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import requests

from tests.servers.openai_server import USAGE, Answer, Asked, OpenAIServer

Serve = Callable[..., OpenAIServer]
SCHEMA = {"type": "object"}


def complete(server: OpenAIServer, path: str = "/v1/chat/completions", **more: Any) -> requests.Response:
    body = {"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]}
    return requests.post(
        server.url + path, json=body | more, headers={"Authorization": "Bearer my-key"}, timeout=10
    )


def test_a_text_becomes_a_completion(serve_openai: Serve) -> None:
    for path in ("/v1/chat/completions", "/chat/completions"):
        completion = complete(serve_openai(["hi"]), path).json()
        [choice] = completion["choices"]
        assert (choice["message"]["content"], choice["finish_reason"]) == ("hi", "stop")
        assert (completion["model"], completion["usage"]) == ("m", USAGE)


def test_usage_may_be_left_out(serve_openai: Serve) -> None:
    assert "usage" not in complete(serve_openai(["hi"], usage=None)).json()
    assert "usage" not in complete(serve_openai([Answer(text="hi", usage=None)])).json()


def test_a_script_sees_what_is_asked(serve_openai: Serve) -> None:
    def script(asked: Asked) -> str:
        return json.dumps([asked.conversation, asked.earlier, asked.text, asked.key, asked.schema])

    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
    message = complete(serve_openai(script), response_format=form).json()["choices"][0]["message"]
    assert json.loads(message["content"]) == ["m", ["s"], "u", "my-key", SCHEMA]


def test_a_tool_that_must_be_called_is_called_with_the_text(serve_openai: Serve) -> None:
    tool = {"type": "function", "function": {"name": "verdict", "parameters": SCHEMA}}
    choice = {"type": "function", "function": {"name": "verdict"}}
    server = serve_openai(["{}"])
    message = complete(server, tools=[tool], tool_choice=choice).json()["choices"][0]["message"]
    assert message["content"] is None
    assert message["tool_calls"][0]["function"] == {"name": "verdict", "arguments": "{}"}
    assert server.asked[0].schema == SCHEMA


def test_moods(serve_openai: Serve) -> None:
    assert complete(serve_openai(["hi"], models=["other"])).status_code == 404
    rejected = complete(serve_openai(["hi"], rejects=["temperature"]), temperature=0)
    assert (rejected.status_code, rejected.json()["error"]["param"]) == (400, "temperature")
    unknown = complete(serve_openai(["hi"], key="other"))
    assert unknown.status_code == 401
    assert "my-key" in unknown.json()["error"]["message"]


def test_it_lists_its_models_and_knows_its_paths(serve_openai: Serve) -> None:
    server = serve_openai(["hi"], models=["a", "b"])
    listed = requests.get(f"{server.base_url}/models", timeout=10).json()
    assert [entry["id"] for entry in listed["data"]] == ["a", "b"]
    assert requests.get(f"{server.url}/nowhere", timeout=10).status_code == 404
