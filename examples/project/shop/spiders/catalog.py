"""A shop: its pages become documents, its products have prices."""

from sitecrawl.spiders.site import SiteSpider


class ShopSpider(SiteSpider):
    """Crawls a shop."""

    name = "shop"
    currency = "USD"  # -a currency=EUR
    custom_settings = {"ITEM_PIPELINES": {"shop.pipelines.PricePipeline": 500}}

    @classmethod
    def configuration_from_arguments(cls, arguments):
        """Options of every crawl of this spider; whoever starts one may say otherwise."""
        own = {"fields": "price:.price", "deny": "/basket/"}
        return super().configuration_from_arguments({**own, **arguments})
