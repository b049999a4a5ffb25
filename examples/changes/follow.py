"""Keep a folder of Markdown files equal to the documents of a crawl."""

import json
import subprocess
import sys
from pathlib import Path

folder = Path(sys.argv[1])
folder.mkdir(exist_ok=True)
cursor = folder / ".seq"
since = cursor.read_text() if cursor.exists() else "0"

command = ["sitecrawl", "export", "--since", since, "-a", "config=site.toml"]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as export:
    for change in map(json.loads, export.stdout):
        file = folder / f"{change['id']}.md"
        if change["op"] == "delete":
            file.unlink(missing_ok=True)
        else:
            file.write_text(f"# {change['title']}\n\n<{change['url']}>\n\n{change['markdown']}\n")
        cursor.write_text(str(change["seq"]))
print(f"{len(list(folder.glob('*.md')))} pages, up to change {cursor.read_text()}")
