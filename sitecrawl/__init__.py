"""sitecrawl: turns websites into clean, search-ready documents and keeps them up to date."""

from sitecrawl.addon import Addon

__all__ = ["Addon"]
__version__ = "0.1.0"
