"""Print the file of all crawls that a table of sites describes."""

import csv
import json
import sys
from pathlib import Path

print("exclusive = true")
with Path(sys.argv[1]).open(encoding="utf-8") as table:
    for site in csv.DictReader(table):
        print("\n[[crawl]]")
        print(f"name = {json.dumps(site['name'])}\nstart = [{json.dumps(site['start'])}]")
        if site["delay"]:
            print(f"delay = {float(site['delay'])}")
