"""What the package's index is compared with: BM25 of the library `bm25s`."""

from collections.abc import Sequence
from itertools import chain

import bm25s

from django_mcp.search import words
from django_mcp.search.ranking import argument_texts
from django_mcp.types import Operation


class Bm25:
    """As the library comes: its own words, English stop words, no stemming."""

    name = "bm25s"

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = list(operations)
        self._index = bm25s.BM25()
        self._index.index(self._tokens([self._text(operation) for operation in operations]), show_progress=False)

    def _text(self, operation: Operation) -> str:
        parts = (operation.name, *operation.tags, operation.summary, operation.description, operation.route)
        # Its words keep an underscore or a hyphen; names are split for it.
        return " ".join(parts).replace("_", " ").replace("-", " ")

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        return bm25s.tokenize(list(texts), stopwords="en", return_ids=False, show_progress=False)

    def ranked(self, query: str) -> list[Operation]:
        tokens = self._tokens([query])
        if not tokens[0]:
            return []
        number = len(self._operations)
        places, scores = self._index.retrieve(tokens, k=number, show_progress=False)
        return [self._operations[at] for at, score in zip(places[0], scores[0], strict=True) if score > 0]


class FullBm25(Bm25):
    """Over all the words and stems that the package's own index has, so that only the ranking differs."""

    name = "bm25s, same words"

    def _text(self, operation: Operation) -> str:
        return " ".join([super()._text(operation), *chain(*argument_texts(operation.callback.schema))])

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        return [words.stems(text) for text in texts]
