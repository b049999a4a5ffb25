"""Which request goes out next: origins, their queues, and their pace."""
