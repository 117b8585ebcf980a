-- A person is found by plain letters: `Łukasz` by `lukasz`, `Müller` by `muller` and `mueller` (`spelledTerms`). Terms that
-- were written before are changed as `plainLetters` would, and the second spelling of names is added.
CREATE FUNCTION plain_letters(term text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
SELECT replace(replace(replace(replace(
  translate(term, 'łøđðħŧŋıĸəɓɗƙƴς', 'loddhtnikebdkyσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
$$;

INSERT INTO person_term (term, user_uuid)
SELECT left(plain_letters(term), 200), user_uuid FROM person_term WHERE term <> plain_letters(term)
ON CONFLICT DO NOTHING;
DELETE FROM person_term WHERE term <> plain_letters(term);

UPDATE person SET customer_number_key = left(plain_letters(customer_number_key), 200)
WHERE customer_number_key <> plain_letters(customer_number_key);

INSERT INTO person_term (term, user_uuid)
SELECT left(btrim(regexp_replace(plain_letters(lower(regexp_replace(normalize(
    replace(replace(replace(replace(replace(replace(
      written, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'å', 'aa'), 'ø', 'oe'), 'đ', 'dj'),
    NFKD), '[\u0300-\u036f]', '', 'g'))), '\s+', ' ', 'g')), 200), user_uuid
FROM person
CROSS JOIN LATERAL unnest(
  ARRAY[concat_ws(' ', NULLIF(first_name, ''), last_name), last_name, customer_number] || regexp_split_to_array(last_name, '\s+')
) AS given
CROSS JOIN LATERAL translate(normalize(given, NFC), 'ÄÖÜÅØĐŁÐĦŦŊƏƁƊƘƳÆŒÞẞ’‘ʼ´‐‑‒–—',
  'äöüåøđłðħŧŋəɓɗƙƴæœþß''''''''-----') AS written
WHERE written ~ '[äöüåøđ]' AND given !~ '@'
ON CONFLICT DO NOTHING;

DROP FUNCTION plain_letters(text);
