"""End with 1 if a list of the report, read from standard input, has more rows than the argument."""

import json
import sys

rows = json.load(sys.stdin)
for row in rows:
    print(*row.values())
sys.exit(len(rows) > int(sys.argv[1]))
