"""Change the documents on their way to the crawl database."""

from itemadapter import ItemAdapter


class PricePipeline:
    """Writes the price of a product as a number, with its currency."""

    def __init__(self, currency):
        self.currency = currency

    @classmethod
    def from_crawler(cls, crawler):
        """Built with the spider's own argument."""
        return cls(crawler.spider.currency)

    def process_item(self, item):
        """Add ``price`` and ``currency`` where a page has a price."""
        fields = ItemAdapter(item)
        prices = (fields.get("fields") or {}).get("price")
        if prices:
            fields["price"] = float(prices[0])
            fields["currency"] = self.currency
        return item
