"""Which tables matter for a question: BM25 over their words, with trigrams for words that are spelled nearly alike.

No model is asked. The vocabulary is names, comments, notes and, where the caller knows some, values.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from connections.catalogue import Catalogue, Table

_K1, _B = 1.2, 0.75
_NAME_WEIGHT = 3  # a table's own name says more than one of its columns
_ALIKE = 0.5  # share of common trigrams from which two words count as alike
_NEIGHBOUR = 0.35  # of its neighbour's score: what a bridge table gets for lying between
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def words(text: str) -> list[str]:
    """The words of a name or sentence, small, without plural endings: `OrderLines_2` has order, line, 2."""
    return [_stem(word) for word in _WORD.findall(text)]


def rank(catalogue: Catalogue, question: str, values: Mapping[str, Sequence[str]] | None = None) -> list[Table]:
    """All tables, the most relevant first; among equals in the catalogue's order.

    `values` are known cells by qualified table name.
    """
    known = values or {}
    documents = [
        Counter(words(_document(table, catalogue, known.get(table.qualified, ())))) for table in catalogue.tables
    ]
    scores = _bm25(documents, _wanted(words(question), documents))
    by_name = {table.qualified: score for table, score in zip(catalogue.tables, scores, strict=True)}
    boosted = _with_neighbours(catalogue, by_name)
    return sorted(catalogue.tables, key=lambda table: -boosted[table.qualified])


def _document(table: Table, catalogue: Catalogue, values: Iterable[str]) -> str:
    notes = catalogue.notes
    parts = [f"{table.name} " * _NAME_WEIGHT, table.comment, notes.get(table.qualified, ""), notes.get(table.name, "")]
    for column in table.columns:
        parts += [column.name, column.comment]
        if notes:
            parts.append(notes.get(f"{table.qualified}.{column.name}", ""))
    return " ".join([*parts, *values])


def alike(asked: Iterable[str], vocabulary: Iterable[str]) -> Mapping[str, float]:
    """The words of `vocabulary` that are spelled nearly like one that is asked for, with their share of common
    trigrams. Exact where locality-sensitive hashing estimates: an index of trigrams is small enough here."""
    found: dict[str, float] = {}
    index = _trigram_index(vocabulary)
    for word in asked:
        trigrams = _trigrams(word)
        shared = Counter(other for trigram in trigrams for other in index.get(trigram, ()))
        for other, common in shared.items():
            share = common / (len(trigrams) + len(_trigrams(other)) - common)
            if share >= _ALIKE:
                found[other] = max(found.get(other, 0.0), share)
    return found


def _wanted(asked: Sequence[str], documents: Sequence[Counter[str]]) -> Mapping[str, float]:
    """Words to look for, with weights: those of the question, and words of the database that are spelled alike."""
    vocabulary = set().union(*documents) if documents else set()
    wanted = {word: 1.0 for word in asked if word in vocabulary}
    strangers = [word for word in dict.fromkeys(asked) if word not in vocabulary and len(word) > 3]
    if strangers:
        for word, share in alike(strangers, vocabulary).items():
            wanted[word] = max(wanted.get(word, 0.0), share)
    return wanted


def _bm25(documents: Sequence[Counter[str]], wanted: Mapping[str, float]) -> list[float]:
    lengths = [document.total() for document in documents]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    scores = [0.0] * len(documents)
    for word, weight in wanted.items():
        holders = [(number, document[word]) for number, document in enumerate(documents) if word in document]
        rarity = math.log(1 + (len(documents) - len(holders) + 0.5) / (len(holders) + 0.5))
        for number, times in holders:
            saturation = times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * lengths[number] / mean))
            scores[number] += weight * rarity * saturation
    return scores


def _with_neighbours(catalogue: Catalogue, scores: Mapping[str, float]) -> Mapping[str, float]:
    """A table beside a relevant one may be the way to it, whatever its own words are."""
    boosted = dict(scores)
    for table in catalogue.tables:
        for key in table.foreign_keys:
            if key.target in scores:
                boosted[key.target] = max(boosted[key.target], scores[table.qualified] * _NEIGHBOUR)
                boosted[table.qualified] = max(boosted[table.qualified], scores[key.target] * _NEIGHBOUR)
    return boosted


def _trigram_index(vocabulary: Iterable[str]) -> Mapping[str, Sequence[str]]:
    index: dict[str, list[str]] = {}
    for word in vocabulary:
        for trigram in _trigrams(word):
            index.setdefault(trigram, []).append(word)
    return index


def _trigrams(word: str) -> frozenset[str]:
    padded = f" {word} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))


def _stem(word: str) -> str:
    word = word.lower()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
