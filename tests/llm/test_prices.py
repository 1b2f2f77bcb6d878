from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.llm.prices import Cost, ModelPrice, Prices, Usage, load_prices

WHEN = datetime(2026, 5, 4, 12, tzinfo=UTC)
THOUSANDS = Usage(input=3_000, output=2_000)


def price(name: str = "house", **details: object) -> ModelPrice:
    return ModelPrice.model_validate({"name": name, "input": 2, "output": 10} | details)


def cost(
    prices: Prices, model: str = "house", provider: str = "openai", when: datetime = WHEN
) -> Cost | None:
    return prices.cost(model, provider, usage=THOUSANDS, when=when)


def total(*overrides: ModelPrice, model: str = "house", when: datetime = WHEN) -> Decimal | None:
    found = cost(Prices(overrides), model, when=when)
    return found.total if found else None


class TestOwnPrices:
    def test_are_usd_per_million_tokens(self) -> None:
        found = cost(Prices([price()]))
        assert found == Cost(Decimal("0.006"), Decimal("0.02"), Decimal("0.026"))

    def test_cached_input_has_its_own_price(self) -> None:
        usage = Usage(input=1_000, output=0, cached=400)
        cheaper = Prices([price(cached=0.5)]).cost("house", "openai", usage=usage, when=WHEN)
        same = Prices([price()]).cost("house", "openai", usage=usage, when=WHEN)
        assert cheaper and cheaper.total == Decimal("0.0014")
        assert same and same.total == Decimal("0.002")

    def test_nothing_is_a_price(self) -> None:
        assert total(price(input=0, output=0)) == 0

    @pytest.mark.parametrize("model", ["house", "HOUSE", "home", "house-2026", "x/house-7"])
    def test_hold_for_names_aliases_and_whole_matches(self, model: str) -> None:
        assert total(price(aliases=["home"], match=r"(x/)?house-\d+"), model=model)

    @pytest.mark.parametrize("model", ["houses", "a house-1", "house-1b", ""])
    def test_do_not_hold_for_parts_of_names(self, model: str) -> None:
        assert total(price(match=r"house-\d+"), model=model) is None

    def test_a_name_counts_more_than_a_match(self) -> None:
        assert total(price("all", match=".*"), price(input=0, output=1)) == Decimal("0.002")

    def test_the_first_of_two_names_counts(self) -> None:
        assert total(price(input=0, output=1), price()) == Decimal("0.002")

    def test_hold_for_one_provider_where_they_name_one(self) -> None:
        prices = Prices([price(provider="ollama")])
        assert cost(prices, provider="ollama")
        assert cost(prices, provider="openai") is None

    @pytest.mark.parametrize(
        ("day", "holds"),
        [("2026-01-31", False), ("2026-02-01", True), ("2026-02-28", True), ("2026-03-01", False)],
    )
    def test_hold_from_their_first_to_their_last_day(self, day: str, *, holds: bool) -> None:
        dated = price(effective_from="2026-02-01", effective_to="2026-02-28")
        when = datetime.fromisoformat(f"{day}T12:00:00+00:00")
        assert (total(dated, when=when) is not None) == holds

    def test_days_are_those_of_utc(self) -> None:
        late = datetime(2026, 1, 31, 23, tzinfo=timezone(timedelta(hours=-5)))
        assert total(price(effective_from="2026-02-01"), when=late)

    def test_a_new_price_takes_over_from_an_old_one(self) -> None:
        old, new = price(effective_to="2026-05-03"), price(input=0, output=1, effective_from="2026-05-04")
        assert total(old, new) == Decimal("0.002")
        assert total(old, new, when=WHEN - timedelta(days=1)) == Decimal("0.026")

    @given(st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0, 1000).map(lambda x: round(x, 6)))
    def test_amounts_are_exact(self, sent: int, received: int, dollars: float) -> None:
        usage = Usage(sent, received)
        found = Prices([price(input=dollars, output=1)]).cost("house", "x", usage=usage, when=WHEN)
        assert found
        assert found.total == found.input + found.output
        assert found.input * 10**12 == sent * int(Decimal(str(dollars)) * 10**6)


class TestKnownPrices:
    """gpt-4o-mini has cost 0.15, 0.075 (cached) and 0.60 USD per million tokens since it came out."""

    def test_come_with_the_installation(self) -> None:
        usage = Usage(input=1_000, output=200, cached=300)
        found = Prices().cost("gpt-4o-mini", "openai", usage=usage, when=WHEN)
        assert found == Cost(Decimal("0.0001275"), Decimal("0.00012"), Decimal("0.0002475"))

    def test_are_known_for_dated_names_and_other_sellers(self) -> None:
        assert cost(Prices(), "gpt-4o-mini-2024-07-18") == cost(Prices(), "gpt-4o-mini")
        assert cost(Prices(), "gpt-4o-mini", "azure_openai")

    def test_give_way_to_our_own(self) -> None:
        assert total(price("gpt-4o-mini", input=0, output=0), model="gpt-4o-mini") == 0

    @pytest.mark.parametrize(
        ("model", "provider"), [("llama3", "openai"), ("llama3", "ollama"), ("gpt-4o-mini", "nobody")]
    )
    def test_are_not_guessed(self, model: str, provider: str) -> None:
        assert cost(Prices(), model, provider) is None

    def test_the_address_tells_who_sells(self) -> None:
        def groq(base_url: str | None) -> Cost | None:
            return Prices().cost(
                "llama-3.3-70b-versatile", "openai", usage=THOUSANDS, when=WHEN, base_url=base_url
            )

        assert groq("https://api.groq.com/openai/v1") == cost(Prices(), "llama-3.3-70b-versatile", "groq")
        assert groq("http://localhost:8000/v1") is None
        assert groq(None) is None

    def test_an_address_nobody_knows_leaves_it_to_the_provider(self) -> None:
        local = Prices().cost(
            "gpt-4o-mini", "openai", usage=THOUSANDS, when=WHEN, base_url="http://localhost:8000/v1"
        )
        assert local == cost(Prices(), "gpt-4o-mini")


def write(project: Path, **files: str) -> Path:
    (project / "pricing").mkdir()
    for name, text in files.items():
        (project / "pricing" / name.replace("_", ".")).write_text(text)
    return project


class TestFiles:
    def test_all_files_of_the_folder_are_read(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            b_yaml="models: [{name: two, input: 0.1, output: 0.3}]",
            a_yml="models:\n- {name: one, aliases: [1], input: 1, output: 2, effective_from: 2026-01-01}",
            notes_txt="not: [read",
        )
        prices, problems = load_prices(tmp_path)
        assert problems == []
        assert [cost(prices, name) is not None for name in ("one", "1", "two")] == [True, True, True]
        found = cost(prices, "two")
        assert found and found.total == Decimal("0.0009")

    def test_the_folder_is_optional(self, tmp_path: Path) -> None:
        assert load_prices(tmp_path)[1] == []

    @pytest.mark.parametrize(
        ("text", "line", "words"),
        [
            ("models:\n- name: a\n  input: 1", 2, "'output' is missing"),
            ("models:\n- {name: a, input: -1, output: 1}", 2, "input: should be at least 0"),
            ("models:\n- {name: a, input: 1, output: 1, cache: 1}", 2, "Did you mean 'cached'?"),
            ("models:\n- {name: a, input: 1, output: 1, match: '('}", 2, "match: is no regular expression"),
            ("models:\n- name: a\n  input: 1\n  output: 1\n  effective_to: soon", 5, "like 2026-01-31"),
            (
                "models:\n- name: a\n  input: 1\n  output: 1\n  effective_from: 2026-02-01\n"
                "  effective_to: 2026-01-01",
                6,
                "effective_to is before effective_from",
            ),
            ("", 1, "should be a mapping"),
            ("models: ]", 1, "expected"),
        ],
    )
    def test_problems_have_their_place(self, tmp_path: Path, text: str, line: int, words: str) -> None:
        [problem] = load_prices(write(tmp_path, prices_yml=text))[1]
        assert words in str(problem)
        assert problem.place and (problem.place.file.name, problem.place.line) == ("prices.yml", line)

    def test_a_sound_file_counts_beside_a_broken_one(self, tmp_path: Path) -> None:
        sound = "models: [{name: two, input: 1, output: 1}]"
        prices, problems = load_prices(write(tmp_path, a_yml="models: 3", b_yml=sound))
        assert len(problems) == 1
        assert cost(prices, "two")

    def test_links_may_have_to_stay_inside(self, tmp_path: Path) -> None:
        outside = tmp_path / "outside.yml"
        outside.write_text("models: [{name: two, input: 1, output: 1}]")
        project = tmp_path / "project"
        project.mkdir()
        (write(project) / "pricing" / "link.yml").symlink_to(outside)
        assert load_prices(project)[1] == []
        [problem] = load_prices(project, within=project)[1]
        assert "--safe" in problem.message
