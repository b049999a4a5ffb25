"""URLs as browsers read them, and what makes two spellings one."""
