"""The rules that a URL must pass, one small file each."""
