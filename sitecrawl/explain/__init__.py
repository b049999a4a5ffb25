"""Why a URL is, or is not, crawled."""
