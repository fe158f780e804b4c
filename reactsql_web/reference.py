"""`make docs` writes the generated parts of the documentation between their marks; a test keeps them current."""

from __future__ import annotations

from pathlib import Path

from reactsql_web.environment import SETTINGS

ROOT = Path(__file__).resolve().parent.parent


def parts() -> dict[tuple[str, str], str]:
    """What is generated: file and mark, to text."""
    return {("README.md", "settings"): settings_table()}


def settings_table() -> str:
    lines = ["| variable | default | what it does |", "|---|---|---|"]
    for setting in SETTINGS:
        default = f"`{setting.default}`" if setting.default else ""
        lines.append(f"| `{setting.name}` | {default} | {setting.help.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def replaced(text: str, mark: str, part: str) -> str:
    """`text` with `part` between `<!-- mark -->` and `<!-- /mark -->`."""
    start, end = f"<!-- {mark} -->\n", f"\n<!-- /{mark} -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"no {start.strip()} … {end.strip()} to write between")
    return before + start + part + end + after


def write() -> None:
    for (name, mark), part in parts().items():
        file = ROOT / name
        file.write_text(replaced(file.read_text(encoding="utf-8"), mark, part), encoding="utf-8")


if __name__ == "__main__":
    write()
