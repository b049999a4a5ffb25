"""Archives of web traffic in WARC files (ISO 28500): their captures, writing, reading."""
