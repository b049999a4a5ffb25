"""Files other than pages: PDF, Office, OpenDocument, EPUB, each converted to simple HTML."""
