"""Keep embedded sections equal to a site, and find those that answer a question."""

import json
import re
import sqlite3
import sys
from collections import Counter
from pathlib import Path


def embed(text):
    """Return the vector of a text; a model of yours comes here."""
    return Counter(re.findall(r"\w+", text.lower()))


def apply(corpus, lines):
    """Write the lines of a crawl in their order; the last one of each id counts."""
    for line in map(json.loads, lines):
        if line["op"] == "delete":
            corpus.execute("DELETE FROM section WHERE id = ?", (line["id"],))
        else:
            vector = json.dumps(embed(line["markdown"]))
            row = (line["id"], line["url"], line["markdown"], vector)
            corpus.execute("INSERT OR REPLACE INTO section VALUES (?, ?, ?, ?)", row)


def ask(corpus, question, limit=3):
    """Return the sections that are nearest to a question."""
    wanted = embed(question)
    found = [
        (sum((wanted & Counter(json.loads(vector))).values()), url, text)
        for url, text, vector in corpus.execute("SELECT url, markdown, vector FROM section")
    ]
    return sorted(found, reverse=True)[:limit]


with sqlite3.connect("corpus.db") as corpus:
    corpus.execute("CREATE TABLE IF NOT EXISTS section (id PRIMARY KEY, url, markdown, vector)")
    match sys.argv[1:]:
        case ["apply", file]:
            apply(corpus, Path(file).read_text(encoding="utf-8").splitlines())
        case ["ask", *words]:
            for score, url, text in ask(corpus, " ".join(words)):
                print(score, url, text[:60].replace("\n", " "))
        case _:
            sys.exit("corpus.py apply FILE | ask WORDS")
