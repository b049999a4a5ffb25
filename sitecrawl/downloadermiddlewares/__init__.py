"""What happens to each request on its way out and each response on its way back."""
