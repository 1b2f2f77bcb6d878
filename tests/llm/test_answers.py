from types import SimpleNamespace
from typing import Any

import pytest

from sensei_kumite.llm.answers import read_answer, usage_of_failure
from sensei_kumite.llm.prices import Usage


def message(content: Any = "", **details: Any) -> SimpleNamespace:
    """What LangChain's messages have in common."""
    return SimpleNamespace(content=content, **details)


class TestText:
    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ("hello", "hello"),
            (["hello ", "you"], "hello you"),
            ([{"type": "text", "text": "hello "}, {"type": "output_text", "text": "you"}], "hello you"),
            ([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "hello"}], "hello"),
            ([{"type": "thinking", "thinking": "hm"}, {"type": "image", "url": "x"}], ""),
            ([{"type": "refusal", "refusal": "I cannot."}], "I cannot."),
            ([{"type": "text"}, 3, None], ""),
            (None, ""),
        ],
    )
    def test_is_what_was_said(self, content: Any, text: str) -> None:
        assert read_answer(message(content)).text == text

    def test_a_refusal_beside_the_content_is_the_answer(self) -> None:
        refused = message("", additional_kwargs={"refusal": "I cannot."})
        assert read_answer(refused, structured=True).text == "I cannot."
        assert read_answer(message("", additional_kwargs={"refusal": None})).text == ""

    def test_arguments_of_a_tool_are_json(self) -> None:
        called = message("", tool_calls=[{"name": "answer", "args": {"passed": True, "why": "ñ"}}])
        assert read_answer(called).text == '{"passed": true, "why": "ñ"}'

    def test_arguments_that_are_not_quite_json_are_kept(self) -> None:
        assert (
            read_answer(message("", invalid_tool_calls=[{"args": '{"passed": tr'}])).text == '{"passed": tr'
        )

    def test_arguments_come_before_prose_only_where_they_were_asked_for(self) -> None:
        both = message("Here you are.", tool_calls=[{"args": {"passed": True}}])
        assert read_answer(both, structured=True).text == '{"passed": true}'
        assert read_answer(both).text == "Here you are."


class TestUsage:
    @pytest.mark.parametrize(
        ("reported", "usage"),
        [
            ({"input_tokens": 5, "output_tokens": 7}, Usage(5, 7)),
            (
                {"input_tokens": 50, "output_tokens": 7, "input_token_details": {"cache_read": 30}},
                Usage(50, 7, 30),
            ),
            (
                {
                    "input_tokens": 50,
                    "output_tokens": 7,
                    "input_token_details": {"flex_cache_read": 10, "ephemeral_5m_input_tokens": 20},
                },
                Usage(50, 7, 10, 20),
            ),
            (
                {
                    "input_tokens": 5,
                    "output_tokens": 7,
                    "input_token_details": {"cache_read": 9, "cache_creation": 9},
                },
                Usage(5, 7, 5, 0),
            ),
            ({"input_tokens": -5, "output_tokens": 7}, None),
            ({"input_tokens": "many", "output_tokens": 7}, None),
            ({"input_tokens": True, "output_tokens": 7}, None),
            ({}, None),
        ],
    )
    def test_is_read_where_langchain_puts_it(self, reported: dict[str, Any], usage: Usage | None) -> None:
        assert read_answer(message(usage_metadata=reported)).usage == usage

    @pytest.mark.parametrize("key", ["token_usage", "usage"])
    def test_is_read_where_older_packages_put_it(self, key: str) -> None:
        told = {
            key: {"prompt_tokens": 5, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 2}}
        }
        assert read_answer(message(response_metadata=told)).usage == Usage(5, 7, 2)

    def test_may_be_absent(self) -> None:
        assert read_answer(message("hello")).usage is None


@pytest.mark.parametrize("names", [("model_name", "finish_reason"), ("model", "stop_reason")])
def test_the_model_says_its_name_and_why_it_stopped(names: tuple[str, str]) -> None:
    answer = read_answer(message("hello", response_metadata=dict(zip(names, ("gpt-x", "stop"), strict=True))))
    assert (answer.model, answer.finish) == ("gpt-x", "stop")


class TestUsageOfFailures:
    class Failed(Exception):
        def __init__(self, response: Any) -> None:
            self.response = response

    class Response:
        def __init__(self, body: Any) -> None:
            self._body = body

        def json(self) -> Any:
            if isinstance(self._body, Exception):
                raise self._body
            return self._body

    def test_is_in_the_response(self) -> None:
        body = {"usage": {"prompt_tokens": 5, "completion_tokens": 7}}
        assert usage_of_failure(self.Failed(self.Response(body))) == Usage(5, 7)

    @pytest.mark.parametrize("body", [ValueError("no JSON"), [], {}, {"usage": 3}, {"usage": {"cost": 1}}])
    def test_may_be_absent(self, body: Any) -> None:
        assert usage_of_failure(self.Failed(self.Response(body))) is None
        assert usage_of_failure(self.Failed({"no": "response"})) is None
        assert usage_of_failure(ValueError()) is None
