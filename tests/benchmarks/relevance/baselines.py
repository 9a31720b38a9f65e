"""What the package's index is compared with: BM25 of the library `bm25s`."""

from collections.abc import Sequence

import bm25s

from django_mcp.catalog import words
from django_mcp.vocabulary import Operation
from tests.benchmarks.relevance.documents import text_of


class Bm25:
    """As the library comes: its own words, English stop words, no stemming."""

    name = "bm25s"

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = list(operations)
        self._index = bm25s.BM25()
        # Its words keep an underscore or a hyphen; names are split for it.
        texts = [text_of(operation).replace("_", " ").replace("-", " ") for operation in operations]
        self._index.index(self._tokens(texts), show_progress=False)

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        return bm25s.tokenize(list(texts), stopwords="en", return_ids=False, show_progress=False)

    def ranked(self, query: str) -> list[Operation]:
        tokens = self._tokens([query])
        if not tokens[0]:
            return []
        number = len(self._operations)
        places, scores = self._index.retrieve(tokens, k=number, show_progress=False)
        return [self._operations[at] for at, score in zip(places[0], scores[0], strict=True) if score > 0]


class StemmedBm25(Bm25):
    """Over the words and stems that the package's own index has, so that only the ranking differs."""

    name = "bm25s, same stems"

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        return [words.stems(text) for text in texts]
