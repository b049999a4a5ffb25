"""All that a project on sitecrawl needs."""

ADDONS = {"sitecrawl.Addon": 300}
SPIDER_MODULES = ["shop.spiders"]
COMMANDS_MODULE = "sitecrawl.commands"
