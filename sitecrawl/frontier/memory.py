"""What is remembered of pages, table by table, for those that judge what visits found."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.frontier.answers import Answers, Withheld
from sitecrawl.frontier.claims import Claims
from sitecrawl.frontier.deletions import Deletions
from sitecrawl.frontier.documents import Documents
from sitecrawl.frontier.near import NearPages
from sitecrawl.frontier.options import StateOptions


@dataclass(frozen=True, slots=True)
class Memory:
    """The tables that findings change, and the rules by which they do."""

    documents: Documents
    deletions: Deletions
    answers: Answers
    withheld: Withheld
    claims: Claims
    near: NearPages
    options: StateOptions
    run: int
