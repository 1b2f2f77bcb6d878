from pathlib import Path

import pytest

from sensei_kumite.attacks.custom.where import Where, where_at
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.yaml_reader import YamlPath, parse_yaml

FILE = Path("x.yml")
DOCUMENT = parse_yaml("cases:\n  - id: 007\n    tags: [a, b]\n  - prompt: x\n", FILE)


@pytest.mark.parametrize(
    ("path", "label", "place"),
    [
        (("cases", 0), "cases[1] (007)", Place(FILE, 2, 5)),
        (("cases", 0, "tags", 1), "cases[1] (007) > tags[2]", Place(FILE, 3, 15)),
        (("cases", 1, "prompt"), "cases[2] (custom_2) > prompt", Place(FILE, 4, 13)),
        (("cases", 1, "gone", "deeper"), "cases[2] (custom_2) > gone > deeper", Place(FILE, 4, 5)),
        (("cases",), "cases", Place(FILE, 2, 3)),
        (("other", 0), "other[1]", Place(FILE, 1, 1)),
    ],
)
def test_a_value_is_named_by_the_way_to_it(path: YamlPath, label: str, place: Place) -> None:
    assert where_at(DOCUMENT, path).problem("is odd.") == Problem(f"{label}: is odd.", place)


def test_a_problem_may_be_that_of_a_key_and_a_warning() -> None:
    problem = where_at(DOCUMENT, ("cases", 1, "prompt")).problem(
        "is odd.", "Do so.", key=True, severity="warning"
    )
    assert problem == Problem(
        "cases[2] (custom_2) > prompt: is odd.", Place(FILE, 4, 5), "Do so.", severity="warning"
    )


def test_problems_of_others_get_a_place_unless_they_have_one() -> None:
    where = Where(DOCUMENT).step("cases")
    there = Place(Path("y.txt"), 7)
    error = ConfigurationError([Problem("is gone."), Problem("is odd.", there, "Do so.")])
    assert where.problems(error) == [
        Problem("cases: is gone.", Place(FILE, 2, 3)),
        Problem("cases: is odd.", there, "Do so."),
    ]
    assert where.error("is odd.").problems == [Problem("cases: is odd.", Place(FILE, 2, 3))]
