-- Messages are deleted after 30 days, and an alert says for 400 days what became of those about it.
ALTER TABLE alert_news ADD COLUMN outcome text;
