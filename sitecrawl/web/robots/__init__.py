"""robots.txt and robots directives, as their standards and Google's parser read them."""
