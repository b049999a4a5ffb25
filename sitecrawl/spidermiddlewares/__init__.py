"""What happens to what the spider begins with."""
