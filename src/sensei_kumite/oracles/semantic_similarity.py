"""`semantic_similarity`: does a response say much the same as a reference text?"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from sensei_kumite.config.fields import Number, WrongKey
from sensei_kumite.models import Verdict
from sensei_kumite.oracles.base import ORACLES, Oracle, OracleContext, OracleParams
from sensei_kumite.oracles.fields import FilledText
from sensei_kumite.text import normalize


class SimilarityParams(OracleParams):
    """What to compare with, and from when on texts count as similar."""

    reference: FilledText | None = Field(None, description="The text to compare with.")
    references: list[FilledText] | None = Field(
        None, min_length=1, description="Several such texts; the most similar one counts."
    )
    threshold: Number = Field(0.7, ge=0, le=1, description="Similarity from which on texts count as similar.")
    expected: Literal["similar", "dissimilar"] = Field("similar", description="What the response should be.")

    @model_validator(mode="after")
    def _one_kind_of_reference(self) -> Self:
        if self.reference is not None and self.references is not None:
            raise WrongKey("references", "reference and references exclude each other: keep one")
        if self.reference is None and self.references is None:
            raise ValueError("needs reference or references")
        return self


@ORACLES.register("semantic_similarity")
class SemanticSimilarity(Oracle[SimilarityParams]):
    """Compares the words of the response, weighted by TF-IDF, with those of each reference."""

    description = "Measures how similar the wording of the response is to reference texts."
    passes_when = "the similarity reaches the threshold (expected: similar), or stays below (dissimilar)"
    Params = SimilarityParams

    def __init__(self, params: SimilarityParams, context: OracleContext) -> None:
        super().__init__(params, context)
        texts = params.references or [params.reference or ""]
        self._references = [normalize(text).text for text in texts]

    def score(self, prompt: str, response: str) -> Verdict:
        """Pass when the best similarity is on the right side of the threshold."""
        similarities = compare(self._references, normalize(response).text)
        best = max(range(len(similarities)), key=similarities.__getitem__)
        score = round(similarities[best], 6)
        similar = score >= self.params.threshold
        evidence = {
            "score": score,
            "threshold": self.params.threshold,
            "expected": self.params.expected,
            "best_reference_index": best,
            "reference_count": len(self._references),
            "method": "tfidf_cosine",
        }
        reason = (
            f"The similarity of {score:.2f} {'reaches' if similar else 'stays below'} the threshold "
            f"of {self.params.threshold:g}."
        )
        return Verdict(similar == (self.params.expected == "similar"), reason, evidence)


def compare(references: list[str], text: str) -> list[float]:
    """The TF-IDF cosine similarity, 0 to 1, of `text` to each of `references`.

    The vocabulary is that of these texts: words of two characters and more, lower case, without accents.
    Texts without such a word are similar only to themselves.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(lowercase=True, strip_accents="unicode")
    analyze = vectorizer.build_analyzer()
    if not any(analyze(each) for each in (*references, text)):
        return [float(reference.lower().split() == text.lower().split()) for reference in references]
    vectors = vectorizer.fit_transform([*references, text])
    # Rows have length 1, so the product is the cosine; rounding may take it past 1.
    products = (vectors[:-1] @ vectors[-1].T).toarray().ravel()
    return [min(1.0, float(product)) for product in products]
