"""The lines of the output: their files, formats and delivery."""
