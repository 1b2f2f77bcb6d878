"""Connector parameters: lenient about spelling, all problems at once, secrets known by name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import ConfigurationError
from sensei_kumite.targets import TargetSettings, build_target
from sensei_kumite.targets.parameters import (
    Parameter,
    accepted_parameters,
    check_parameters,
    public_url,
    secrets_in,
)
from sensei_kumite.yaml_scalars import TypedFloat, TypedInt

ACCEPTED = [
    Parameter("base_url", "string", required=True),
    Parameter("sender", "string", required=False),
    Parameter("rooms", "integer", required=False),
    Parameter("timeout", "number", required=False),
    Parameter("gdpr", "boolean", required=False),
]
URL = "http://127.0.0.1:5005"


def problems_of(technology: str, **params: Any) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        build_target(technology, TargetSettings(params))
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("sender", "qa", "qa"),
        ("sender", 7, "7"),
        ("sender", TypedInt("007"), "007"),
        ("sender", TypedFloat("1.10"), "1.10"),
        ("rooms", 5000, 5000),
        ("rooms", "5000", 5000),
        ("rooms", TypedInt("5000"), 5000),
        ("timeout", "2.5", 2.5),
        ("timeout", 30, 30.0),
        ("gdpr", False, False),
        ("gdpr", "no", False),
        ("gdpr", "True", True),
    ],
)
def test_a_value_becomes_what_the_connector_wants(name: str, value: Any, expected: Any) -> None:
    values, problems = check_parameters(ACCEPTED, {"base_url": URL, name: value})
    assert problems == []
    assert values == {"base_url": URL, name: expected}
    assert type(values[name]) is type(expected)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("sender", True, "should be text, not true"),
        ("sender", ["a"], "should be text, not a list"),
        ("sender", {"a": 1}, "should be text, not a mapping"),
        ("rooms", "many", "should be a whole number, not 'many'"),
        ("rooms", 1.5, "should be a whole number, not 1.5"),
        ("rooms", True, "should be a whole number, not true"),
        ("timeout", "soon", "should be a number, not 'soon'"),
        ("timeout", float("nan"), "should be a number, not nan"),
        ("timeout", 0, "should be more than 0 seconds, not 0"),
        ("gdpr", "perhaps", "should be true or false, not 'perhaps'"),
        ("gdpr", 1, "should be true or false, not 1"),
        ("base_url", "127.0.0.1:5005", "should be an address that begins with http:// or https://"),
        ("base_url", "ftp://a.example", "should be an address that begins with http:// or https://"),
        ("base_url", "http://a.example ", "should be an address that begins with http:// or https://"),
        ("base_url", "http://", "should be an address that begins with http:// or https://"),
        ("base_url", "http://a.example:99999", "is not an address"),
    ],
)
def test_a_value_of_the_wrong_type_is_a_problem(name: str, value: Any, complaint: str) -> None:
    _, problems = check_parameters(ACCEPTED, {"base_url": URL, name: value})
    assert [f"the connector parameter {name!r} {complaint}" in str(problem) for problem in problems] == [True]


def test_a_parameter_without_a_value_is_not_given() -> None:
    assert check_parameters(ACCEPTED, {"base_url": URL, "sender": None}) == ({"base_url": URL}, [])


@given(
    st.dictionaries(
        st.sampled_from([item.name for item in ACCEPTED]) | st.text(),
        st.from_type(type).flatmap(st.from_type),
    )
)
def test_no_value_breaks_the_check(given_values: dict[str, Any]) -> None:
    values, _ = check_parameters(ACCEPTED, given_values)
    assert set(values) <= {item.name for item in ACCEPTED}


def test_all_problems_are_reported_at_once() -> None:
    assert problems_of("rasa", base_ur=URL, senderid="qa", timeout="soon") == [
        "unknown connector parameter 'base_ur'. Did you mean 'base_url'? "
        "Valid: base_url, sender_id, timeout, verify.",
        "unknown connector parameter 'senderid'. Did you mean 'sender_id'? "
        "Valid: base_url, sender_id, timeout, verify.",
        "the connector parameter 'timeout' should be a number, not 'soon'.",
    ]


def test_one_that_is_missing_is_told_where_no_other_is_meant() -> None:
    assert problems_of("rasa", senderid="qa")[0] == (
        "the connector parameter 'base_url' is missing. Required: base_url."
    )
    assert problems_of("rasa", base_url="") == [
        "the connector parameter 'base_url' is missing. Required: base_url."
    ]


def test_problems_name_their_parameter() -> None:
    with pytest.raises(ConfigurationError) as caught:
        build_target("taskyto", TargetSettings({"base_url": "http://a.example/x", "prot": 1, "timeout": 0}))
    assert [problem.key for problem in caught.value.problems] == ["prot", "timeout", "base_url"]
    with pytest.raises(ConfigurationError) as caught:
        build_target("custom", TargetSettings({"config_path": "gone.yml"}))
    assert [problem.key for problem in caught.value.problems] == ["config_path"]


def test_what_only_the_constructor_takes_is_accepted() -> None:
    def constructor(
        base_url: str, *, language: str = "es", gdpr: bool = True, rooms: int = 1, seats: int
    ) -> None:
        """Takes more than it declares."""

    assert accepted_parameters([Parameter("base_url", "string", required=True)], constructor) == [
        Parameter("base_url", "string", required=True),
        Parameter("language", "string", required=False),
        Parameter("gdpr", "boolean", required=False),
        Parameter("rooms", "integer", required=False),
        Parameter("seats", "string", required=True),
    ]


@pytest.mark.parametrize(
    "base_url", ["http://127.0.0.1:5000", "http://127.0.0.1:5000/", "http://127.0.0.1/api"]
)
def test_an_address_does_not_repeat_a_port_parameter(base_url: str) -> None:
    assert problems_of("taskyto", base_url=base_url) == [
        "the connector parameter 'base_url' should end with the host: the port is another parameter. "
        "Write base_url=http://127.0.0.1,port=5000."
    ]


def test_a_trailing_slash_does_not_come_between_host_and_port() -> None:
    target = build_target("taskyto", TargetSettings({"base_url": "http://127.0.0.1/", "port": "5001"}))
    assert target.describe() == "taskyto at http://127.0.0.1:5001"


@pytest.mark.parametrize("port", [0, 65536, -1])
def test_a_port_is_in_range(port: int) -> None:
    assert problems_of("taskyto", base_url="http://127.0.0.1", port=port) == [
        f"the connector parameter 'port' should be between 1 and 65535, not {port}."
    ]


def test_a_value_that_the_connector_itself_refuses_is_a_problem() -> None:
    assert problems_of("metro_madrid", language="tlh") == [
        "the metro_madrid connector does not take these parameters: Unsupported onboarding language 'tlh'."
    ]


def test_secrets_are_known_by_their_names() -> None:
    values = {
        "api_key": "k-12345",
        "Authorization": "Bearer t-67890",
        "X-Api-Key": "x-11111",
        "base_url": URL,
        "pin_token": "1",
        "port": 5000,
    }
    assert set(secrets_in(values)) == {"k-12345", "Bearer t-67890", "t-67890", "x-11111"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (URL, URL),
        ("https://me:pw@a.example/bot?token=s#top", "https://a.example/bot"),
        ("http://a@b@c.example:80/", "http://c.example:80/"),
        ("http://[::1]:80/mail@home?k=1", "http://[::1]:80/mail@home"),
        ("http://[oops", "http://[oops"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, shown: str) -> None:
    assert public_url(url) == shown
