from pathlib import Path

import pytest

from sensei_kumite.attacks.custom.scope import Scope
from sensei_kumite.attacks.custom.text_files import TextFile
from sensei_kumite.attacks.custom.where import Where
from sensei_kumite.errors import Place
from sensei_kumite.yaml_reader import parse_yaml

HERE = Where(parse_yaml("prompt: x", Path("x.yml"))).step("prompt")
STRICT = Scope(["name", "other"], True, "Sells tea.")
LENIENT = Scope([], False, "Sells tea.")


@pytest.mark.parametrize(
    "text", ["{{name}} {{other}}", "{{context.target_context}}", "{{{{gone}}}}", "{one} $name", "{{{name}}}"]
)
def test_what_is_declared_may_be_named(text: str) -> None:
    assert [*STRICT.problems(text, HERE)] == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{nmae}}", "prompt: there is no variable 'nmae'. Did you mean 'name'? Declare it under variables;"),
        ("{{zzz}}", "to mean the braces, write {{{{zzz}}}}."),
        ("{{a.b}}", "there is no variable 'a.b'"),
        ("{{context.taget}}", "there is no {{context.taget}}. The only one is {{context.target_context}}."),
        (
            "{{parameters.p}}",
            "{{parameters.p}} can be used in the attack file alone. Give the case a variable",
        ),
        (
            "{{ name }}",
            "is no placeholder. Write {{name}}, without spaces; to mean the braces, {{{{ name }}}}.",
        ),
        ("${name}", "${name} is no placeholder. Write {{name}}."),
        ("{{7*7}}", "{{7*7}} is no placeholder. To mean the braces, write {{{{7*7}}}}."),
        ("{{}}", "{{}} is no placeholder. Write a name between the braces."),
        ("}}", "}} is no placeholder. Put a space between the braces where no placeholder is meant."),
    ],
)
def test_what_is_wrong_is_told_with_what_would_be_right(text: str, says: str) -> None:
    [problem] = STRICT.problems(text, HERE)
    assert says in str(problem)


def test_without_variables_only_names_matter() -> None:
    assert [*LENIENT.problems('{{7*7}} ${name} {"a": {"b": 1}} {{', HERE)] == []
    assert len([*LENIENT.problems("{{name}} {{ name }}", HERE)]) == 2


def test_an_empty_target_context_is_worth_a_warning() -> None:
    [problem] = Scope().problems("for {{context.target_context}}", HERE)
    assert problem.severity == "warning"
    assert "target_context in the campaign" in str(problem)


def test_in_a_file_the_place_is_that_of_the_placeholder() -> None:
    file = TextFile(Path("t.txt"), "first line\nsecond {{gone}}\n{{name}} ${x}")
    places = [problem.place for problem in STRICT.problems_of_file(file, HERE)]
    assert places == [Place(Path("t.txt"), 2, 8), Place(Path("t.txt"), 3, 10)]
