"""Scheduling: leased origins, their queues, and the pace of their requests."""
