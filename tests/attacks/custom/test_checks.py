from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.custom.document import CustomFile, Entry
from sensei_kumite.config.problems import location
from sensei_kumite.errors import Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, YamlPath
from tests.attacks.custom.reading import ALONE, case, put, read, told

HEAD = "oracle: {type: keyword_absent, params: {keywords: [zz]}}\n"
GENERATED = "{value: {generate: {prompt: p, fallback: f}}}"
CODE = "def f(text='', **more): return text\ndef g(): return 'x'\ndef h(text): return 'x'\n"


def problems(folder: Path, body: str, head: str = HEAD, entry: Entry = ALONE, **more: Any) -> list[str]:
    put(folder, {"f.py": CODE, "t.txt": "text {{v}}"})
    return told(read(folder, case(body, head), entry, **more).problems)


SOUND = [
    'prompt: "{{v}}"\nvariables: {v: {value: x}}',
    "prompt: 'to {{context.target_context}}'",
    "prompt: x\nvariables: {}",
    'prompt: "{{a}}"\nvariables: {a: {value: "{{b}}"}, b: {value: x}}',
    'prompt: "{{t}}"\nvariables: {t: {type: path, value: t.txt}, v: {value: x}}',
    'prompt: "{{f}}{{v}}"\nvariables: {f: {function: {path: f.py, name: f}}, v: {value: x}}',
    f'prompt: "{{{{g}}}}"\nvariables: {{g: {GENERATED}}}',
    "prompt: x\nvariables: {v: {value: x}}\noracle: {type: t, params: {deep: [{k: '{{v}}'}]}}",
    'prompt: "{{v}}"\nvariables: {v: {value: x, protect: true}}',
    'generate: "about {{context.target_context}}"\nfallback: x',
    'prompt: \'{{7*7}} ${HOME} {"a": {"b": 1}}\'',
]


@pytest.mark.parametrize("body", SOUND)
def test_a_sound_case(tmp_path: Path, body: str) -> None:
    assert problems(tmp_path, body, target_context="Sells tea.") == []


UNSOUND = [
    (
        'prompt: "{{v}}{{w}}"\nvariables: {v: {value: x}}',
        ["4: cases[1] (c) > prompt: there is no variable 'w'"],
    ),
    ("prompt: '{{v}}'", ["4: cases[1] (c) > prompt: there is no variable 'v'."]),
    ('prompt: "{{ v }}"\nvariables: {}', ["4: cases[1] (c) > prompt: {{ v }} is no placeholder."]),
    ('prompt: "${v}"\nvariables: {}', ["4: cases[1] (c) > prompt: ${v} is no placeholder."]),
    ('prompt: "{{v}"\nvariables: {}', ["4: cases[1] (c) > prompt: {{ is no placeholder."]),
    (
        "generate: '{{v}}'\nfallback: '{{w}}'",
        ["4: cases[1] (c) > generate: there", "5: cases[1] (c) > fallback"],
    ),
    (
        "prompt: x\nvariables:\n  v: {value: x}",
        ["6: cases[1] (c) > variables > v: this variable is never used."],
    ),
    (
        'prompt: "{{a}}"\nvariables:\n  a: {value: x}\n  b: {value: "{{c}}"}\n  c: {value: x}',
        ["variables > b: this variable is never used", "variables > c: this variable is never used"],
    ),
    (
        'prompt: "{{a}}"\nvariables:\n  a: {value: "{{b}}"}\n  b: {value: "{{a}}"}',
        ["6: cases[1] (c) > variables > a: this variable uses itself: a -> b -> a."],
    ),
    (
        'prompt: "{{a}}"\nvariables:\n  a:\n    function:\n      path: f.py\n      name: f\n'
        "      arguments:\n        deep: [{x: '{{gone}}'}]",
        ["11: cases[1] (c) > variables > a > function > arguments > deep[1] > x: there is no variable"],
    ),
    (
        'prompt: "{{g}}"\nvariables:\n  g:\n    value:\n      generate:\n        prompt: "{{a}}"\n'
        '        fallback: "{{b}}"',
        [
            "9: cases[1] (c) > variables > g > value > generate > prompt: there",
            "10: cases[1] (c) > variables",
        ],
    ),
    (
        "prompt: x\noracle:\n  type: t\n  params:\n    keywords: [a, '{{gone}}']",
        ["8: cases[1] (c) > oracle > params > keywords[2]: there is no variable 'gone'."],
    ),
    (
        'prompt: "{{t}}"\nvariables:\n  t: {type: path, value: t.txt}\n',
        ["1: cases[1] (c) > variables > t > value: there is no variable 'v'."],
    ),
    (
        'prompt: "{{t}}"\nvariables:\n  t: {type: path, value: gone.txt}\n',
        ["6: cases[1] (c) > variables > t > value: 'gone.txt' was not found."],
    ),
    (
        'prompt: "{{f}}"\nvariables:\n  f: {function: {path: gone.py, name: f}}',
        ["6: cases[1] (c) > variables > f > function: 'gone.py' was not found."],
    ),
    (
        'prompt: "{{f}}"\nvariables:\n  f: {function: {path: "{{p}}.py", name: i}}\n  p: {value: f}',
        ["f.py: there is no function 'i'."],
    ),
    (
        'prompt: "{{f}}"\nvariables:\n  f: {function: {path: f.py, name: g, arguments: {x: 1}}}',
        ["g cannot be called with these arguments: got an unexpected keyword argument 'x'."],
    ),
    (
        'prompt: "{{f}}"\nvariables:\n  e: {value: ""}\n  f:\n    function: {path: f.py, name: f, '
        'arguments: {text: "{{e}}"}, rephrase: {target: arguments.text}}',
        ["8: cases[1] (c) > variables > f > function > rephrase > target: the argument that it names is"],
    ),
    (
        'prompt: "{{v}}"\nvariables:\n  v: {value: "", protect: true}\n  w: {value: x}',
        [
            "variables > v > protect: what is protected must not be empty.",
            "variables > w: this variable is never",
        ],
    ),
    (
        f'prompt: "{"{{v}}" * 101}"\nvariables: {{v: {{value: "{"x" * 100_000}"}}}}',
        ["4: cases[1] (c) > prompt: with its placeholders filled in, this has more than 10,000,000"],
    ),
    ('prompt: "{{v}}"\nvariables: {v: {value: " "}}', ["4: cases[1] (c) > prompt: this is empty once its"]),
]


@pytest.mark.parametrize(("body", "expected"), UNSOUND)
def test_every_fault_is_told_with_its_place(tmp_path: Path, body: str, expected: list[str]) -> None:
    found = problems(tmp_path, body)
    for part in expected:
        assert any(part in line for line in found), found
    if len(expected) == 1:
        assert len(found) == 1, found


PROTECTED = """\
prompt: "{{w}}"
variables:
  v: {value: Bob, protect: true}
  w: %s
oracle: {type: t, params: {k: "{{v}}"}}
"""


@pytest.mark.parametrize(
    "variable",
    [
        "{value: 'for {{v}}'}",
        "{type: path, value: t.txt}",
        "{function: {path: f.py, name: h, arguments: {text: 'x {{v}}'}, rephrase: {target: arguments.text}}}",
        "{function: {path: f.py, name: h, arguments: {text: '{{v}}'}}}",  # only a run can tell
    ],
)
def test_what_is_protected_stands_where_something_may_be_rephrased(tmp_path: Path, variable: str) -> None:
    assert problems(tmp_path, PROTECTED % variable) == []


@pytest.mark.parametrize("variable", ["{value: nobody}", "{type: path, value: '{{v}}.txt'}"])
def test_what_is_protected_elsewhere_is_a_mistake(tmp_path: Path, variable: str) -> None:
    put(tmp_path, {"Bob.txt": "nobody"})
    [found] = problems(tmp_path, PROTECTED % variable)
    assert found == (
        "6: cases[1] (c) > variables > v > protect: what is protected should stand in the prompt, or in an "
        "argument that is rephrased."
    )


@pytest.mark.parametrize("function", [True, False])
def test_a_model_must_not_choose_a_path(tmp_path: Path, function: bool) -> None:
    use = "function: {path: '{{w}}.py', name: f}" if function else "type: path, value: '{{w}}'"
    body = (
        f"prompt: '{{{{u}}}}'\nvariables:\n  u: {{{use}}}\n  w: {{value: 'x{{{{g}}}}'}}\n  g: {GENERATED}\n"
    )
    [found] = problems(tmp_path, body)
    assert found.startswith("6: cases[1] (c) > variables > u >")
    assert "a path cannot use what a model writes, as 'g' does." in found


def test_a_function_may_choose_a_path_even_by_what_a_model_writes(tmp_path: Path) -> None:
    call = "function: {path: f.py, name: f, arguments: {text: '{{g}}'}}"
    body = (
        "prompt: '{{t}}'\nvariables:\n  t: {type: path, value: '{{w}}.txt'}\n"
        f"  w: {{{call}}}\n  g: {GENERATED}\n  v: {{value: perhaps}}\n"
    )
    assert problems(tmp_path, body) == []


def test_safe_refuses_every_function(tmp_path: Path) -> None:
    body = (
        "prompt: '{{a}}{{b}}'\nvariables:\n  a: {function: {path: f.py, name: f}}\n"
        "  b: {function: {path: '{{a}}.py', name: f}}\n"
    )
    found = problems(tmp_path, body, safe=True)
    assert [line.partition(": --safe")[0] for line in found] == [
        "6: cases[1] (c) > variables > a > function",
        "7: cases[1] (c) > variables > b > function",
    ]


MODELLED = [
    (
        f"prompt: '{{{{g}}}}'\nvariables:\n  g:\n    {GENERATED[1:-1]}\n",
        "7: cases[1] (c) > variables > g > value",
    ),
    ("generate: p\nfallback: f\n", "4: cases[1] (c) > generate"),
]


@pytest.mark.parametrize(("body", "place"), MODELLED)
def test_what_a_model_writes_needs_generation(tmp_path: Path, body: str, place: str) -> None:
    [found] = problems(tmp_path, body, generation=None)
    assert found.startswith(place)
    assert "needs a model, which generation > enabled: false of the campaign forbids." in found


def test_faults_of_a_variable_do_not_hide_others_or_make_new_ones(tmp_path: Path) -> None:
    body = """\
prompt: "{{a}} {{b}} {{gone}}"
variables:
  a: {valeu: "{{c}}"}
  b: {value: x, protect: true}
  c: {value: y}
"""
    found = problems(tmp_path, body)
    assert [line.partition(":")[0] for line in found] == ["6", "4"]


def oracle_check(spec: OracleSpec, document: Document, path: YamlPath) -> list[Problem]:
    """Keywords of one letter are wrong, and so is a type that is not `t`."""
    if spec.type != "t":
        return [Problem(f"Unknown oracle {spec.type!r}", document.place((*path, "type")))]
    return [
        Problem(
            f"{location(document, path)}: {word!r} is short",
            document.place((*path, "params", "keywords", number)),
        )
        for number, word in enumerate(spec.params["keywords"])
        if len(word) < 2
    ]


def oracle_problems(folder: Path, body: str, head: str, entry: Entry = ALONE) -> list[str]:
    return problems(folder, body, head, entry, check_oracle=oracle_check)


OWN = 'prompt: "{{v}}{{w}}"\nvariables: {v: {value: x}, w: {value: yy}}\n'


def test_oracles_are_checked_with_their_values(tmp_path: Path) -> None:
    own = OWN + "oracle:\n  type: t\n  params:\n    keywords:\n      - '{{v}}'\n      - '{{w}}'\n      - z\n"
    assert oracle_problems(tmp_path, own, "") == [
        "9: cases[1] (c) > oracle: 'x' is short",
        "11: cases[1] (c) > oracle: 'z' is short",
    ]
    assert oracle_problems(tmp_path, OWN + "oracle: {type: u, params: {keywords: [aa]}}", "") == [
        "5: cases[1] (c) > oracle: Unknown oracle 'u'"
    ]


def test_a_warning_does_not_keep_an_oracle_from_being_checked(tmp_path: Path) -> None:
    params = "params: {keywords: ['{{context.target_context}}', z]}"
    for found in (
        oracle_problems(tmp_path, f"prompt: x\noracle: {{type: t, {params}}}", ""),
        oracle_problems(tmp_path, "prompt: x", f"oracle: {{type: t, {params}}}\n"),
    ):
        assert any("is empty here" in line for line in found)
        assert any("'z' is short" in line for line in found)


def test_what_only_a_run_can_tell_is_left_to_it(tmp_path: Path) -> None:
    body = f"prompt: '{{{{g}}}}'\nvariables: {{g: {GENERATED}}}\n"
    body += "oracle: {type: t, params: {keywords: ['{{g}}', z]}}"
    [found] = oracle_problems(tmp_path, body, "")
    assert "'z' is short" in found


SHARED = "oracle:\n  type: t\n  params:\n    keywords: ['{{v}}', z]\n"


def test_an_oracle_of_the_file_is_checked_once_and_then_for_each_case(tmp_path: Path) -> None:
    body = OWN + "  # the next one\n"
    text = case(body, SHARED) + case(OWN).partition("cases:\n")[2].replace("id: c", "id: d")
    put(tmp_path, {"f.py": CODE})
    file = read(tmp_path, text, check_oracle=oracle_check)
    assert sorted(told(file.problems)) == [
        "4: cases[1] (c): oracle: 'x' is short",
        "4: cases[2] (d): oracle: 'x' is short",
        "4: oracle: 'z' is short",
    ]


def test_a_case_that_shares_an_oracle_declares_what_it_uses(tmp_path: Path) -> None:
    head = SHARED.replace(", z", "")
    found = oracle_problems(tmp_path, "prompt: x", head)
    assert found == ["6: cases[1] (c): the file's oracle uses {{v}}, which this case does not declare."]
    entry = Entry(oracle=OracleSpec("t", {"keywords": ["{{v}}"]}))
    found = oracle_problems(tmp_path, "prompt: x", "", entry)
    assert found == ["2: cases[1] (c): the entry's oracle uses {{v}}, which this case does not declare."]


def test_an_oracle_that_gives_way_to_another_is_not_looked_at(tmp_path: Path) -> None:
    own = "prompt: x\noracle: {type: t, params: {keywords: [aa]}}"
    assert oracle_problems(tmp_path, own, SHARED.replace(", z", "")) == []


def loaded(folder: Path, body: str, head: str = HEAD, entry: Entry = ALONE) -> CustomFile:
    put(folder, {"f.py": CODE})
    file = read(folder, case(body, head), entry)
    assert file.problems == ()
    return file


def test_variables_that_only_an_oracle_uses_are_used(tmp_path: Path) -> None:
    shared = "oracle: {type: t, params: {k: '{{v}}'}}\n"
    entry = Entry(oracle=OracleSpec("t", {"k": "{{v}}"}))
    body = "prompt: x\nvariables: {v: {value: x}}"
    assert loaded(tmp_path, body, shared).cases[0].oracle is not None
    assert loaded(tmp_path, body, HEAD, entry).cases[0].oracle is not None
    assert loaded(tmp_path, f"{body}\noracle: {{type: u}}", shared).cases[0].oracle is not None


def test_only_an_oracle_with_placeholders_becomes_one_of_the_case(tmp_path: Path) -> None:
    assert loaded(tmp_path, "prompt: x").cases[0].oracle is None


def test_metadata_says_what_is_known_beforehand(tmp_path: Path) -> None:
    head = f"parameters: {{p: 007}}\n{HEAD}"
    body = "prompt: '{{b}}{{a}}'\nvariables: {b: {value: x, protect: true}, a: {value: y}}\nseverity: high"
    assert loaded(tmp_path, body, head).cases[0].metadata == {
        "severity": "high",
        "custom_attack_parameters": {"p": 7},
        "custom_dsl": True,
        "resolved_variables": ["a", "b"],
        "protected_variables": ["b"],
    }
    assert loaded(tmp_path, "prompt: x").cases[0].metadata == {}
    assert loaded(tmp_path, "prompt: x\nvariables: {}").cases[0].metadata["resolved_variables"] == []
