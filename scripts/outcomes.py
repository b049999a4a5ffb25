"""Makes the reasons in docs/outcomes.md of the rules: python -m scripts.outcomes."""

from __future__ import annotations

from pathlib import Path

from sitecrawl.policy.refusal_reasons import documentation

PAGE = Path(__file__).parents[1] / "docs" / "outcomes.md"
SECTION = "## Reasons of refused links\n\n"
NOTE = "This table is made from the rules and limits by `python -m scripts.outcomes`.\n\n"


def text(page: str) -> str:
    """The page with the table as the registry gives it."""
    before, section, rest = page.partition(SECTION)
    if not section:
        raise ValueError(f"{PAGE} has no section {SECTION.strip()!r}")
    _, following, after = rest.partition("\n## ")
    return before + section + NOTE + documentation() + following + after


def main() -> None:
    """Write the page."""
    PAGE.write_text(text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
