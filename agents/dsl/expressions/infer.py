"""Types of expressions, bottom up, and the refusal of what cannot make sense. What is not known refuses nothing."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from agents.dsl.expressions.expression import Typed
from agents.errors import TypeMismatchError
from connections.allowed import names
from connections.catalogue import DialectName, SemanticType
from connections.guard import function_name
from connections.types import semantic_type

_NUMBERS: tuple[SemanticType, ...] = ("integer", "decimal", "float")
_MOMENTS: tuple[SemanticType, ...] = ("date", "time", "timestamp", "timestamptz")
_TRUTHS = (
    exp.And, exp.Or, exp.Xor, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.SimilarTo, exp.Glob,
    exp.RegexpLike, exp.RegexpILike, exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.GT, exp.GTE, exp.LT, exp.LTE,
    exp.Boolean, exp.JSONBContains, exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps,
)  # fmt: skip
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_TEXTS = (exp.DPipe, exp.Concat, exp.Substring, exp.Trim, exp.Overlay, exp.JSONExtractScalar, exp.Chr)

# What a function returns, where that is the same in every dialect. Names that are missing here are "unknown".
_RETURNS: Mapping[str, SemanticType] = {
    **dict.fromkeys(
        names("""
        lower upper trim ltrim rtrim btrim replace substr substring concat concat_ws left right lpad rpad repeat
        reverse initcap to_char split_part md5 hex quote printf format char chr date_format strftime monthname
        dayname json_extract_string typeof translate regexp_replace regexp_substr regexp_extract substring_index
        soundex space elt lcase ucase mid
    """),
        "text",
    ),
    **dict.fromkeys(
        names("""
        length char_length character_length octet_length bit_length instr strpos position ascii unicode year month
        day hour minute second quarter week weekday weekofyear dayofweek dayofmonth dayofyear isodow isoyear datediff
        timestampdiff date_diff to_days json_array_length jsonb_array_length array_length list_length cardinality
        len strlen locate find_in_set
    """),
        "integer",
    ),
    **dict.fromkeys(
        names("""
        sqrt exp ln log log2 log10 sin cos tan asin acos atan atan2 radians degrees pi julianday random rand
        similarity cbrt
    """),
        "float",
    ),
    **dict.fromkeys(
        names("""
        starts_with ends_with contains regexp_matches regexp_like regexp_full_match isnan isfinite list_contains
        array_contains list_has array_has
    """),
        "boolean",
    ),
    **dict.fromkeys(
        names("""
        curdate make_date last_day current_date to_date
    """),
        "date",
    ),
    **dict.fromkeys(
        names("""
        date_trunc make_timestamp
    """),
        "timestamp",
    ),
    **dict.fromkeys(
        names("""
        age make_interval justify_days justify_hours justify_interval
    """),
        "interval",
    ),
}
_LIKE_FIRST = names("coalesce ifnull nvl nullif abs min max greatest least ceil ceiling floor trunc mod")
_SQLITE_TEXTS = names("date time datetime")
_INTEGERS_IN_SQLITE = names("random unixepoch sign")


def infer(tree: exp.Expr, scope: Mapping[str, Typed], dialect: DialectName) -> tuple[SemanticType, str]:
    """The semantic type of `tree` and its SQL type's text ("" when only the former is known).

    Raises TypeMismatchError where a comparison cannot mean anything. Works without recursion: a tree may be deep.
    """
    known: dict[int, SemanticType] = {}
    for node in reversed(list(tree.dfs())):
        semantic = _semantic(node, scope, dialect, known)
        known[id(node)] = semantic
        if isinstance(node, _COMPARISONS):
            _check_comparison(node.left, node.right, known, dialect)
        elif isinstance(node, exp.Between):
            _check_comparison(node.this, node.args["low"], known, dialect)
            _check_comparison(node.this, node.args["high"], known, dialect)
        elif isinstance(node, exp.In) and node.expressions:
            _check_comparison(node.this, node.expressions[0], known, dialect)
    return known[id(tree)], _type_text(tree, scope)


def _semantic(
    node: exp.Expr, scope: Mapping[str, Typed], dialect: DialectName, known: Mapping[int, SemanticType]
) -> SemanticType:
    if isinstance(node, exp.Column):
        return scope[node.name].semantic if node.name in scope else "unknown"
    if isinstance(node, exp.Literal):
        return "unknown" if dialect == "mysql" and _in_another_base(node) else _literal(node)
    if isinstance(node, _TRUTHS):
        return "boolean"
    if isinstance(node, exp.Cast):
        semantic = semantic_type(_cast_type(node), dialect)
        # SQLite has no date type: a cast to one makes a number.
        return "unknown" if dialect == "sqlite" and semantic in _MOMENTS else semantic
    if isinstance(node, exp.JSONExtractScalar) and dialect == "sqlite":
        return "unknown"  # ->> gives numbers as numbers
    if isinstance(node, _TEXTS):
        return "text"
    if isinstance(node, exp.Anonymous):
        return _function(node, dialect, known)
    if isinstance(node, exp.Paren | exp.Neg):
        return known.get(id(node.this), "unknown")
    if isinstance(node, exp.Case):
        branches = [branch.args["true"] for branch in node.args["ifs"]] + [node.args.get("default")]
        return _common([known[id(branch)] for branch in branches if branch is not None and not _is_null(branch)])
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Mod | exp.IntDiv):
        return _arithmetic(node, known, dialect)
    return _plain(node)


def _plain(node: exp.Expr) -> SemanticType:
    if isinstance(node, exp.Interval):
        return "interval"
    if isinstance(node, exp.CurrentDate):
        return "date"
    if isinstance(node, exp.CurrentTimestamp):
        return "timestamptz"
    if isinstance(node, exp.Array):
        return "array"
    if isinstance(node, exp.StrPosition):
        return "integer"
    return "unknown"


def _literal(node: exp.Literal) -> SemanticType:
    if node.is_string:
        return "text"
    if _in_another_base(node) or node.name.replace("_", "").isdigit():
        return "integer"
    return "float" if "e" in node.name.lower() else "decimal"


def _in_another_base(node: exp.Literal) -> bool:
    return node.name[:2].lower() in ("0x", "0o", "0b")


def _function(node: exp.Anonymous, dialect: DialectName, known: Mapping[int, SemanticType]) -> SemanticType:
    name = function_name(node)
    if dialect == "sqlite":
        if name in _SQLITE_TEXTS:
            return "text"
        if name in _INTEGERS_IN_SQLITE:
            return "integer"
        if name in ("ceil", "floor", "trunc", "ceiling"):
            return "float"
    if name in ("date", "timestamp", "time") and dialect != "sqlite":
        return name  # type: ignore[return-value]
    if name == "length" and dialect == "duckdb":
        return "integer"
    if name in _LIKE_FIRST and node.expressions:
        given = [known[id(argument)] for argument in node.expressions if not _is_null(argument)]
        return _common(given) if name not in ("nullif", "mod", "trunc") else (given or ["unknown"])[0]
    if name == "round":
        first = known.get(id(node.expressions[0]), "unknown") if node.expressions else "unknown"
        return "float" if dialect == "sqlite" else first if first in _NUMBERS else "unknown"
    return _RETURNS.get(name, "unknown")


def _arithmetic(node: exp.Binary, known: Mapping[int, SemanticType], dialect: DialectName) -> SemanticType:
    left, right = known[id(node.left)], known[id(node.right)]
    if left in _NUMBERS and right in _NUMBERS:
        if isinstance(node, exp.Div) and dialect in ("duckdb", "mysql"):
            return "float" if dialect == "duckdb" else "decimal"
        return max(left, right, key=_NUMBERS.index)
    return "unknown"


def _common(types: list[SemanticType]) -> SemanticType:
    kinds = set(types)
    if len(kinds) == 1:
        return types[0]
    if kinds and kinds <= set(_NUMBERS):
        return max(types, key=_NUMBERS.index)
    return "unknown"


def _check_comparison(left: exp.Expr, right: exp.Expr, known: Mapping[int, SemanticType], dialect: DialectName) -> None:
    for one, other in ((left, right), (right, left)):
        kind, against = known[id(one)], known[id(other)]
        if kind in _MOMENTS and against in _NUMBERS and not _may_be_date(other, dialect):
            raise TypeMismatchError(
                f"{_text(one)} is a {kind} and {_text(other)} a number; they cannot be compared. "
                "Compare with a date in quotes, for example '2024-01-31', or take a part of it (its year, its month)."
            )
        if dialect == "postgresql" and kind == "text" and against in _NUMBERS and not isinstance(one, exp.Literal):
            raise TypeMismatchError(
                f"{_text(one)} is text and {_text(other)} a number; PostgreSQL does not compare them. "
                "Put the number in quotes, or cast one side."
            )


def _may_be_date(node: exp.Expr, dialect: DialectName) -> bool:
    """SQLite keeps years and epochs in DATE columns, MySQL reads 20240131 as a date, and 0 is before all of them."""
    if dialect not in ("sqlite", "mysql"):
        return False
    if not isinstance(node, exp.Literal) or _in_another_base(node):
        return True
    return not 0 < abs(float(node.name)) < 1000


def _is_null(node: exp.Expr) -> bool:
    return isinstance(node, exp.Null)


def _cast_type(node: exp.Cast) -> str:
    to = node.to
    return str(to.args.get("kind") or "") if to.this == exp.DataType.Type.USERDEFINED else to.sql()


def _type_text(tree: exp.Expr, scope: Mapping[str, Typed]) -> str:
    if isinstance(tree, exp.Column) and tree.name in scope:
        return scope[tree.name].type
    return _cast_type(tree).upper() if isinstance(tree, exp.Cast) else ""


def _text(node: exp.Expr) -> str:
    text = node.name if isinstance(node, exp.Column) else node.sql()
    return text if len(text) <= 60 else text[:57] + "…"
