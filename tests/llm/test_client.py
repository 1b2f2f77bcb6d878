"""The real langchain-openai on a local server. Its import takes seconds: it is used in this module only."""

from __future__ import annotations

import csv
import os
import sys
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.errors import BudgetReached, ModelError
from sensei_kumite.llm.client import ChatModel
from sensei_kumite.llm.ledger import Ledger, Totals
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.providers import Access
from sensei_kumite.llm.requests import Message, ModelSettings, Purpose, Request, Role
from tests.servers.openai_server import Answer, OpenAIServer, error, tokens
from tests.servers.replies import DROP, HANG, NOT_JSON, Reply, json_reply

KEY = "sk-0123456789abcdef"
ACCESS = Access(KEY, (KEY,))
SCHEMA = {"type": "object", "properties": {"passed": {"type": "boolean"}}, "required": ["passed"]}
VERDICT = '{"passed": true}'
Serve = Callable[..., OpenAIServer]


@pytest.fixture(autouse=True)
def _only_what_a_test_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "LANGSMITH_", "LANGCHAIN_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger(None, Prices()) as kept:
        yield kept


def model(
    server: OpenAIServer | str, ledger: Ledger, *, timeout: float = 30, retries: int = 0, **settings: Any
) -> ChatModel:
    base_url = server if isinstance(server, str) else server.base_url
    return ChatModel(
        ModelSettings(Role.JUDGE, base_url=base_url).override(**settings),
        ledger,
        access=ACCESS,
        timeout=timeout,
        retries=retries,
    )


def ask(text: str = "hello", **details: Any) -> Request:
    return Request(Purpose.VERDICT, (Message("system", "Be brief."), Message("user", text)), **details)


def failure(asked: ChatModel, request: Request | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        asked.complete(request or ask())
    return caught.value


class TestAnswers:
    def test_messages_go_out_and_text_comes_back(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai(["hi"])
        messages = (
            Message("system", "Be brief."),
            Message("user", "hello {name}"),
            Message("assistant", "hi"),
            Message("user", "lone \ud83d surrogate"),
        )
        assert model(server, ledger).complete(Request(Purpose.USER_TURN, messages)) == "hi"
        [asked] = server.asked
        assert (asked.key, asked.body["model"], asked.body["temperature"]) == (KEY, "gpt-4o-mini", 0)
        assert [(sent["role"], sent["content"]) for sent in asked.body["messages"]] == [
            ("system", "Be brief."),
            ("user", "hello {name}"),
            ("assistant", "hi"),
            ("user", "lone \ufffd surrogate"),
        ]

    def test_a_request_may_have_its_own_temperature(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai(["hi"])
        asked = model(server, ledger, temperature=0.3)
        asked.complete(ask())
        asked.complete(ask(temperature=0.9))
        assert [sent.body["temperature"] for sent in server.asked] == [0.3, 0.9]

    def test_a_tool_call_is_its_arguments(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai([Answer(calls=(VERDICT,)), Answer(calls=('{"passed": tr',))])
        asked = model(server, ledger)
        assert [asked.complete(ask()), asked.complete(ask())] == [VERDICT, '{"passed": tr']

    @pytest.mark.parametrize("schema", [None, SCHEMA])
    def test_a_refusal_is_an_answer(self, serve_openai: Serve, ledger: Ledger, schema: Any) -> None:
        server = serve_openai([Answer(refusal="I cannot.")])
        assert model(server, ledger).complete(ask(schema=schema)) == "I cannot."

    def test_nothing_is_no_answer(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai([Answer(text=" \n", finish="length")])
        assert "answered with an empty message (length)" in str(failure(model(server, ledger)))
        assert ledger.totals.calls == 1


class TestStructuredOutput:
    def test_the_schema_goes_along(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai([VERDICT, "prose"])
        asked = model(server, ledger)
        assert asked.complete(ask(schema=SCHEMA)) == VERDICT
        assert asked.complete(ask(schema=SCHEMA)) == "prose"
        assert server.asked[0].schema["properties"] == SCHEMA["properties"]

    def test_older_models_are_asked_for_a_tool_call(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai([VERDICT])
        assert model(server, ledger, model="gpt-3.5-turbo").complete(ask(schema=SCHEMA)) == VERDICT
        assert server.asked[0].forced_tool == "answer"

    def test_a_server_that_takes_no_schema_is_asked_without_it_from_then_on(
        self, serve_openai: Serve, ledger: Ledger
    ) -> None:
        no = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
        server = serve_openai(lambda sent: error(400, no) if sent.schema else VERDICT)
        asked = model(server, ledger)
        assert [asked.complete(ask(schema=SCHEMA)) for _ in range(2)] == [VERDICT, VERDICT]
        assert ["response_format" in sent.body for sent in server.asked] == [True, False, False]

    def test_a_request_that_is_wrong_in_itself_says_nothing_about_schemas(
        self, serve_openai: Serve, ledger: Ledger
    ) -> None:
        server = serve_openai(lambda sent: error(400, "too long") if sent.text == "long" else VERDICT)
        asked = model(server, ledger)
        assert "rejected the request: HTTP 400, too long" in str(failure(asked, ask("long", schema=SCHEMA)))
        asked.complete(ask(schema=SCHEMA))
        assert server.asked[-1].schema

    def test_an_answer_that_was_cut_off_is_paid_for(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai([Answer(text='{"pas', finish="length", usage=tokens(40, 2))])
        assert "length limit" in str(failure(model(server, ledger), ask(schema=SCHEMA)))
        assert (ledger.totals.input_tokens, ledger.totals.output_tokens) == (40, 2)


class TestTemperature:
    def test_models_that_reason_are_asked_without_it_from_then_on(
        self, serve_openai: Serve, ledger: Ledger
    ) -> None:
        server = serve_openai(["hi"], rejects=["temperature"])
        asked = model(server, ledger)
        assert [asked.complete(ask()), asked.complete(ask(temperature=0.5))] == ["hi", "hi"]
        assert ["temperature" in sent.body for sent in server.asked] == [True, False, False]

    def test_a_server_may_reject_a_schema_as_well(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai([VERDICT], rejects=["temperature", "response_format"])
        assert model(server, ledger).complete(ask(schema=SCHEMA)) == VERDICT
        assert len(server.asked) == 3


class TestFailures:
    def test_a_wrong_model(self, serve_openai: Serve, ledger: Ledger) -> None:
        server = serve_openai(["hi"], models=["other"])
        found = str(failure(model(server, ledger)))
        assert "The judge model gpt-4o-mini (openai at http://127.0.0.1" in found
        assert "HTTP 404, The model `gpt-4o-mini` does not exist." in found
        assert "Check model, provider and base_url under judge." in found

    def test_a_wrong_key(self, serve_openai: Serve, ledger: Ledger) -> None:
        found = str(failure(model(serve_openai(["hi"], key="another"), ledger)))
        assert "refused the API key: HTTP 401, Incorrect API key provided: [secret]." in found
        assert "OPENAI_API_KEY" in found
        assert "--offline" in found

    @pytest.mark.parametrize(
        ("reply", "transient", "words"),
        [
            (error(429, "slow down"), True, "HTTP 429, slow down"),
            (error(500, "oops"), True, "failed: HTTP 500, oops"),
            (DROP, True, "cannot be reached"),
            (NOT_JSON, False, "gave an answer that is none: "),
            (
                Reply(b'{"choices": [', headers={"Content-Type": "application/json"}),
                False,
                "an answer that is none",
            ),
            (json_reply({"choices": []}), False, "an answer that is none"),
            (json_reply({"choices": None}), False, "an answer that is none"),
            (json_reply({"choices": [{"message": None}]}), False, "an answer that is none"),
            (json_reply({"error": {"message": "no luck"}}), False, "no luck"),
        ],
    )
    @pytest.mark.parametrize("schema", [None, SCHEMA])
    def test_a_server_in_trouble(
        self, serve_openai: Serve, ledger: Ledger, reply: Reply, schema: Any, words: str, *, transient: bool
    ) -> None:
        found = failure(model(serve_openai([reply]), ledger), ask(schema=schema))
        assert words in found.message
        assert found.transient == transient
        assert ledger.totals == Totals()

    def test_a_server_that_hangs(self, serve_openai: Serve, ledger: Ledger) -> None:
        found = failure(model(serve_openai([HANG]), ledger, timeout=0.2))
        assert "did not answer within 0.2 s" in found.message
        assert found.transient

    def test_a_server_that_is_down(self, closed_port: int, ledger: Ledger) -> None:
        url = f"http://someone:hunter2-secret@127.0.0.1:{closed_port}/v1?key=hunter3-secret"
        found = failure(model(url, ledger))
        assert f"(openai at http://127.0.0.1:{closed_port}/v1) cannot be reached: Connection refused." in str(
            found
        )
        assert "hunter" not in str(found)

    def test_transient_failures_are_tried_again_when_the_server_says(
        self, serve_openai: Serve, ledger: Ledger
    ) -> None:
        replies = [error(429, "slow down", retry_after="0.01"), error(500, "oops", retry_after="0.01"), "hi"]
        server = serve_openai(replies)
        assert model(server, ledger, retries=2).complete(ask()) == "hi"
        assert (len(server.asked), ledger.totals.calls) == (3, 1)

    @pytest.mark.parametrize("details", [{"provider": "nonsense"}, {"temperature": "warm"}])
    def test_settings_that_langchain_refuses(self, ledger: Ledger, details: dict[str, Any]) -> None:
        message = failure(model("http://localhost/v1", ledger, **details)).message
        assert "cannot be set up: " in message
        assert "warm" not in message

    def test_a_package_that_is_not_there(self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "langchain_anthropic", None)
        found = str(failure(model("http://localhost/v1", ledger, provider="anthropic")))
        assert "pip install langchain-anthropic" in found
        assert "--offline" in found


class TestSecrets:
    def test_a_key_is_blanked_wherever_the_server_echoes_it(
        self, serve_openai: Serve, tmp_path: Path
    ) -> None:
        server = serve_openai(
            [f"your key is {KEY}", error(400, "no: {key}"), Answer(calls=(f'{{"a": "{KEY}"}}',))]
        )
        with Ledger(tmp_path / "costs.csv", Prices()) as ledger:
            asked = model(server, ledger)
            assert asked.complete(ask(f"is it {KEY}?")) == "your key is [secret]"
            assert "no: [secret]" in str(failure(asked))
            assert asked.complete(ask()) == '{"a": "[secret]"}'
        assert KEY in server.asked[0].text
        assert KEY not in (tmp_path / "costs.csv").read_text()


class TestCosts:
    def test_the_ledger_adds_up_to_the_sum_by_hand(self, serve_openai: Serve, tmp_path: Path) -> None:
        """gpt-4o-mini: 0.15 USD per million tokens in, 0.075 cached, 0.60 out."""
        used = [(100, 20, 0), (1_000, 300, 250), (7, 1, 7), (123_456, 789, 1_000)]
        server = serve_openai(
            [
                Answer(text="hi", usage=tokens(sent, received, cached=cached))
                for sent, received, cached in used
            ]
        )
        with Ledger(tmp_path / "costs.csv", Prices()) as ledger:
            for number in range(len(used)):
                model(server, ledger).complete(ask(subject=f"case {number}"))
        by_hand = sum(
            ((sent - cached) * 0.15 + cached * 0.075 + received * 0.6) / 1e6
            for sent, received, cached in used
        )
        assert abs(float(ledger.totals.cost) - by_hand) < 1e-9
        with (tmp_path / "costs.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert abs(sum(float(row["Total Cost"]) for row in rows) - by_hand) < 1e-9
        assert [row["Conversation"] for row in rows] == [f"case {number}" for number in range(4)]
        assert ledger.settle("case 2") == Decimal("0.000001125")
        assert rows[0]["Input Message"] == "system: Be brief.\n\nuser: hello"
        assert (rows[0]["Module"], rows[0]["Output Message"]) == ("judge", "hi")

    def test_a_deployment_is_paid_by_the_name_the_model_calls_itself(
        self, serve_openai: Serve, ledger: Ledger
    ) -> None:
        server = serve_openai([Answer(text="hi", model="gpt-4o-mini-2024-07-18")])
        model(server, ledger, model="my-deployment").complete(ask())
        assert ledger.totals.cost == Decimal("0.000027")

    def test_usage_may_be_absent(self, serve_openai: Serve, ledger: Ledger) -> None:
        model(serve_openai([Answer(text="hi", usage=None)]), ledger).complete(ask())
        assert ledger.totals == Totals(calls=1, unpriced=("gpt-4o-mini",))

    def test_no_call_starts_without_money(self, serve_openai: Serve) -> None:
        server = serve_openai(["hi"])
        with pytest.raises(BudgetReached, match=r"Budget of \$0 reached\."):
            model(server, Ledger(None, Prices(), max_cost=0)).complete(ask())
        assert server.requests == []

    def test_a_budget_ends_in_the_middle(self, serve_openai: Serve) -> None:
        server, lanes = serve_openai(["hi"]), 4
        ledger = Ledger(None, Prices(), max_cost=0.000_027 * 5)
        asked = model(server, ledger)

        def lane() -> None:
            with pytest.raises(BudgetReached):
                while True:
                    asked.complete(ask())

        threads = [threading.Thread(target=lane) for _ in range(lanes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 5 <= len(server.asked) < 5 + lanes


PROVIDER = """
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
import os

class ChatBedrock(BaseChatModel):
    model_config = {"extra": "forbid"}
    model: str
    temperature: float | None = None

    @property
    def _llm_type(self): return "strict"

    def _generate(self, messages, stop=None, run_manager=None, **options):
        text = f"{self.model} in {os.environ['AWS_REGION']}: {messages[-1].content}"
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])
"""


def test_other_providers_get_what_they_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ledger: Ledger
) -> None:
    """One that takes no timeout and no schema, reports no usage, and reads the environment."""
    (tmp_path / "langchain_aws.py").write_text(PROVIDER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("AWS_REGION", "to be removed again")
    monkeypatch.delenv("AWS_REGION")
    asked = ChatModel(
        ModelSettings(Role.JUDGE, "claude", "bedrock"), ledger, access=Access(exports={"AWS_REGION": "eu-1"})
    )
    assert asked.complete(ask(schema=SCHEMA)) == "claude in eu-1: hello"
    assert ledger.totals == Totals(calls=1, unpriced=("claude",))
    monkeypatch.delitem(sys.modules, "langchain_aws")
