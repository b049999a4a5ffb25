"""sitecrawl: turns websites into clean, search-ready documents and keeps them true."""
