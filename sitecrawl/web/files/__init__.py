"""Files other than pages: PDF, Office, OpenDocument, EPUB, each turned into simple HTML."""
