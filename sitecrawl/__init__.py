"""sitecrawl: turns websites into clean, search-ready documents and keeps them true."""

__version__ = "0.1.0"
