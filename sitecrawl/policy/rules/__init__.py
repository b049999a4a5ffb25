"""The rules that a URL must pass, one small file each, and the engine that applies them."""

from sitecrawl.policy.rules.engine import Rules, Stage

__all__ = ["Rules", "Stage"]
