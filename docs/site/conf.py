"""Configuration of the documentation site: the Markdown of the repository, read by Sphinx."""

import importlib.metadata

project = "sitecrawl"
release = importlib.metadata.version("scrapy-sitecrawl")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "benchmarks/README.md"]
exclude_patterns = ["build"]
templates_path = ["templates"]
myst_heading_anchors = 4
autodoc_typehints = "description"

html_theme = "furo"
html_title = project  # the version of a checkout is one long word, wider than a telephone
html_additional_pages = {"index": "start.html"}
html_extra_path = ["../schemas"]
html_js_files = [("search-box.js", {"type": "module"})]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_use_index = False
