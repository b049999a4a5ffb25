"""What is done with query strings and with the ids that servers put into URLs."""
