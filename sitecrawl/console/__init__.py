"""Code shared by the commands: arguments, crawl databases, printed output."""
