"""The options by subject, each declared once."""
