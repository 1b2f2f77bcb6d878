"""The YAML file of a custom connector is checked before anything is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.errors import ConfigurationError
from sensei_kumite.targets import TargetSettings, build_target

VALID = """\
base_url: https://a.example
send_message:
  path: /ask
  headers: {Authorization: Bearer abc}
  payload_template:
    turns: [{role: user, text: "{user_msg}"}]
response_path: data.0.text
"""


def settings(folder: Path, text: str) -> TargetSettings:
    (folder / "shop.yml").write_text(text)
    return TargetSettings({"config_path": "shop.yml"}, project=folder)


def problems_of(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        build_target("custom", settings(folder, text))
    return [str(problem).replace(f"{folder}/", "") for problem in caught.value.problems]


def test_a_valid_file_has_no_warnings(tmp_path: Path) -> None:
    target = build_target("custom", settings(tmp_path, VALID))
    assert target.warnings == ()
    assert target.describe() == "custom at https://a.example"


def test_a_file_that_is_not_there_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'gone.yml' was not found. Searched in: "):
        build_target("custom", TargetSettings({"config_path": "gone.yml"}, project=tmp_path))


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is a folder"):
        build_target("custom", TargetSettings({"config_path": "."}, project=tmp_path))


def test_everything_that_keeps_it_from_working_is_named_with_its_place(tmp_path: Path) -> None:
    text = """\
    base_url: a.example
    timeout: 0
    headers: {X-Flag: 1}
    send_message:
      method: PATCH
      payload_template: {question: "{user_message}"}
    """
    assert problems_of(tmp_path, text) == [
        "shop.yml:1:5: response_path is missing.",
        "shop.yml:1:15: base_url should be an address that begins with http:// or https://, not 'a.example'.",
        "shop.yml:2:14: timeout should be more than 0 seconds, or two such numbers, not 0.",
        "shop.yml:3:14: headers should map header names to text; numbers, true and false need quotes.",
        "shop.yml:5:15: send_message.method should be one of GET, POST, PUT, DELETE, not 'PATCH'.",
        "shop.yml:6:25: send_message.payload_template contains no {user_msg}: "
        "no message would reach the target.",
    ]


@pytest.mark.parametrize("text", ["", "- a list", "just text"])
def test_a_file_is_a_mapping(tmp_path: Path, text: str) -> None:
    (problem,) = problems_of(tmp_path, text)
    assert "should be a mapping. Its keys: name, base_url, " in problem


def test_a_file_without_messages_names_what_is_missing(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "base_url: https://a.example\nresponse_path: text\nsend_message:\n") == [
        "shop.yml:1:1: send_message is missing."
    ]


def test_a_key_that_the_library_needs_a_value_for_is_named(tmp_path: Path) -> None:
    text = VALID.replace("{Authorization: Bearer abc}", "").replace("/ask", "")
    assert problems_of(tmp_path, f"headers:\ntimeout:\n{text}") == [
        "shop.yml:1:9: headers should map header names to text; numbers, true and false need quotes.",
        "shop.yml:5:8: send_message.path should be text.",
        "shop.yml:6:11: send_message.headers should map header names to text; "
        "numbers, true and false need quotes.",
    ]


def test_a_misspelt_key_is_a_warning(tmp_path: Path) -> None:
    target = build_target("custom", settings(tmp_path, VALID + "respons_path: text\n"))
    (warning,) = target.warnings
    assert warning.endswith(
        "shop.yml:8:1: warning: unknown key 'respons_path'. Did you mean 'response_path'?"
    )


def test_a_pair_of_timeouts_is_accepted(tmp_path: Path) -> None:
    assert build_target("custom", settings(tmp_path, VALID + "timeout: [5, 60]\n")).warnings == ()


def test_problems_of_parameters_and_file_come_together(tmp_path: Path) -> None:
    (tmp_path / "shop.yml").write_text("base_url: https://a.example")
    with pytest.raises(ConfigurationError) as caught:
        build_target("custom", TargetSettings({"config_path": "shop.yml", "port": 1}, project=tmp_path))
    messages = [problem.message for problem in caught.value.problems]
    assert messages == [
        "unknown connector parameter 'port'.",
        "response_path is missing.",
        "send_message is missing.",
    ]
