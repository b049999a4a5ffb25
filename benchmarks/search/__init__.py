"""Benchmark of search: queries with known answers, made from the indexes of real manuals."""
