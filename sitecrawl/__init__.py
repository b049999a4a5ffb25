"""sitecrawl: turns websites into clean, search-ready documents and keeps them up to date."""

from sitecrawl.addon import Addon

__all__ = ["Addon"]
__version__ = "0.1.0"


def install_command(extra: str) -> str:
    """Return the words that tell how an extra is installed."""
    return f"scripts/setup {extra} in a clone, else pip install 'scrapy-sitecrawl[{extra}]'"
