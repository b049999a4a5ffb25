"""Nutch's ``regex-urlfilter.txt``: lines of + or - and a regular expression, the first decides."""

from __future__ import annotations

from sitecrawl.config.foreign.draft import Draft, ForeignConfigError, OrderedRule, allow_and_deny


def read_nutch(text: str) -> Draft:
    """Read a filter; raises ForeignConfigError."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        if line[:1] in {"", "#", " ", "\t"}:
            continue
        if line[0] not in "+-":
            raise ForeignConfigError(f"line {number}: a rule of Nutch's filter begins with + or -")
        rules.append(OrderedRule(line[0] == "+", line[1:].strip()))
    draft = Draft("Nutch's URL filter")
    allow, deny, unreadable = allow_and_deny(rules, default=False)
    draft.options |= {n: v for n, v in (("allow", allow), ("deny", deny)) if v}
    if allow:
        draft.options["scope"] = "any"  # the filter alone bounds a crawl of Nutch
    else:
        draft.hints.append("scope: the filter admits any host; the crawl stays on its starts.")
    draft.hints.append("start: the seed list, as -a start=@seeds.txt")
    draft.left_out += [f"the pattern {each}" for each in unreadable]
    return draft
