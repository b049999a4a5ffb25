UPDATE outbox SET delivered = 0 WHERE delivered IN (SELECT number FROM delivery);
DELETE FROM delivery
