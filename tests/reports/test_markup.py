"""HTML by construction: what is no element is text."""

from __future__ import annotations

from sensei_kumite.reports.markup import Markup, element, join


def test_text_is_escaped_and_elements_are_not() -> None:
    inner = element("b", "1 < 2")
    assert element("p", inner, " & <i>") == "<p><b>1 &lt; 2</b> &amp; &lt;i&gt;</p>"


def test_attributes_are_escaped() -> None:
    assert element("p", title="\"'<>&") == '<p title="&quot;&#x27;&lt;&gt;&amp;"></p>'


def test_names_of_attributes_may_hold_what_python_forbids() -> None:
    assert element("p", class_="a", data_attack=0, aria_label=None) == '<p class="a" data-attack="0"></p>'


def test_shapes_have_no_content() -> None:
    assert element("rect", width="5%") == '<rect width="5%"/>'


def test_what_acts_unseen_is_written_as_escapes() -> None:
    assert join("a\u202eb\x00", Markup("<br>")) == r"a\u202eb\x00<br>"


def test_text_that_looks_like_markup_is_none() -> None:
    assert join(str(Markup("<b>")) + "") == "&lt;b&gt;"
