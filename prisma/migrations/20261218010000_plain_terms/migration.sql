-- People are looked up by plain signs: the apostrophes and dashes of typography have theirs. Terms as they were stay until a person
-- is saved again, for servers of before.
INSERT INTO "person_term" ("user_uuid", "term")
SELECT "user_uuid", translate("term", '‘’‚‛′ʹʻʼʽ‐‒–—―−', repeat('''', 9) || '------')
FROM "person_term" WHERE "term" ~ '[‘’‚‛′ʹʻʼʽ‐‒–—―−]'
ON CONFLICT DO NOTHING;

UPDATE "person" SET "customer_number_key" = translate("customer_number_key", '‘’‚‛′ʹʻʼʽ‐‒–—―−', repeat('''', 9) || '------')
WHERE "customer_number_key" ~ '[‘’‚‛′ʹʻʼʽ‐‒–—―−]';
