/** The SQL makes rows as the projector writes them. Values that look random are a digest of the seed and a number. */

const uuidOf = (text: string) =>
  `overlay(overlay(md5(${text}) PLACING '4' FROM 13) PLACING 'a' FROM 17)::uuid::text`

/** The id is the uuidv7 of an event that begins at `at`. */
const idOf = (text: string) =>
  `overlay(overlay(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || left(md5(${text}), 20)
     PLACING '7' FROM 13) PLACING 'a' FROM 17)::uuid`

/**
 * These people have the transactions. Each has a wallet, an account here and one elsewhere, with valid IBANs. One in twenty
 * is a company, and one account in ten could not be created.
 */
export const people = (seed: number, count: number) => `
  CREATE UNLOGGED TABLE made_person AS
  SELECT k, ${uuidOf(`'${seed}:user:' || k`)} AS uuid, ${uuidOf(`'${seed}:account:' || k`)} AS account,
    '0x' || md5('${seed}:wallet:' || k) || left(md5('${seed}:rest:' || k), 8) AS wallet,
    'ES' || lpad((98 - mod((number || '142800')::numeric, 97))::text, 2, '0') || number AS iban, number,
    'LT' || lpad((98 - mod((right(number, 16) || '212900')::numeric, 97))::text, 2, '0') || right(number, 16) AS own_iban,
    CASE WHEN k % 20 = 7 THEN 'KYB' ELSE 'KYC' END AS checks,
    CASE WHEN k % 10 = 3 THEN 'FAILED_CREATION' ELSE 'ACTIVE' END AS ends,
    timestamptz '2026-09-01T00:00:00.100Z' + k * interval '8 s' AS joined
  FROM generate_series(0, ${count - 1}) AS k,
    LATERAL (SELECT lpad(((k + 1) * 7919.0 * 1000003 * 104729 % 1e20)::numeric(20)::text, 20, '0')) AS n (number);
  INSERT INTO person (user_uuid, email, email_key, source)
  SELECT uuid::uuid, 'user' || k || '@demo.test', 'user' || k || '@demo.test', 'bench' FROM made_person;
  INSERT INTO person_term (term, user_uuid)
  SELECT term, user_uuid FROM person, LATERAL (VALUES (user_uuid::text), (email)) AS said (term)
  WHERE source = 'bench'`

/** Existing events already have their rows. */
export const before = 'CREATE UNLOGGED TABLE made_before AS SELECT id FROM event'
const isMade = 'NOT EXISTS (SELECT FROM made_before WHERE made_before.id = event.id)'

/** Transactions take these courses. Each step says which fields are known and whether money has left. */
export const courses = `
  CREATE UNLOGGED TABLE made_course (direction text, course text, i int, step text, status text, rank smallint,
    issued boolean, refunded boolean);
  INSERT INTO made_course
  SELECT d.direction, c.course, s.i - 1, step,
    CASE step WHEN 'IN_PROGRESS' THEN 'OUTSIDE_TRANSFER_IN_REVIEW' WHEN 'SUCCESS' THEN 'PROCESS_COMPLETED'
      WHEN 'ON_HOLD' THEN 'ON_HOLD_KYC' WHEN 'FAILED' THEN 'PROCESS_FAILED' ELSE step END,
    CASE WHEN step = 'PENDING' THEN 0 WHEN step = 'IN_PROGRESS' THEN 1 WHEN step = d.issued THEN 2
      WHEN step IN ('SUCCESS', 'FAILED', 'LIMIT_BREACHED') THEN 3 WHEN step = 'REFUNDED' THEN 4 END,
    step IN (d.issued, 'SUCCESS'), step = 'REFUNDED'
  FROM (VALUES ('fiatToCrypto', 'CRYPTO_TRANSFER_ISSUED'), ('cryptoToFiat', 'FIAT_TRANSFER_ISSUED'))
      AS d (direction, issued),
    LATERAL (VALUES ('done', ARRAY['PENDING', 'IN_PROGRESS', d.issued, 'SUCCESS']),
      ('failed', ARRAY['PENDING', 'IN_PROGRESS', 'FAILED', 'REFUNDED']),
      ('held', ARRAY['PENDING', 'ON_HOLD', 'IN_PROGRESS', d.issued]),
      ('breached', ARRAY['PENDING', 'IN_PROGRESS', 'LIMIT_BREACHED', 'REFUNDED'])) AS c (course, steps),
    unnest(c.steps) WITH ORDINALITY AS s (step, i)`

/** Each transaction has one row. One starts every 400 ms, with four events at a pace of 8 to 48 s. */
export const made = (seed: number, count: number) => `
  CREATE UNLOGGED TABLE made AS
  SELECT 'transaction:' || t.uuid AS subject_id, t.uuid, p.uuid AS person, p.wallet, p.iban, p.number, p.account,
    t.direction, CASE WHEN chance < 88 THEN 'done' WHEN chance < 94 THEN 'failed'
      WHEN chance < 98 OR t.direction = 'fiatToCrypto' THEN 'held' ELSE 'breached' END AS course,
    (5 + digest % 500000 / 100.0)::numeric(12, 2)::text AS fiat, (6 + digest % 500000 / 90.0)::numeric(12, 6)::text AS crypto,
    '0x' || md5('${seed}:hash:' || n) || md5('${seed}:hash2:' || n) AS hash,
    timestamptz '2026-09-01T00:00:00Z' + n * interval '400 ms' AS started, 8000 + digest % 40000 AS pace, n
  FROM generate_series(1, ${count}) AS n,
    LATERAL (SELECT ('x' || left(md5('${seed}:' || n), 7))::bit(28)::int AS digest) AS d,
    LATERAL (SELECT ${uuidOf(`'${seed}:transaction:' || n`)} AS uuid, d.digest / 7 % 100 AS chance,
      CASE WHEN d.digest / 701 % 5 = 0 THEN 'cryptoToFiat' ELSE 'fiatToCrypto' END AS direction) AS t,
    made_person p WHERE p.k = (digest / 3511) % (SELECT count(*) FROM made_person)`

/** The envelope is canonical JSON, so that its digest is the event's fingerprint. */
const envelope = `
  CASE m.direction WHEN 'fiatToCrypto' THEN
    '{"data":{' || CASE WHEN c.issued THEN '"amountCrypto":' || crypto || ',' ELSE '' END || '"amountFiat":' || fiat
    || CASE WHEN c.refunded THEN ',"amountRefunded":' || fiat ELSE '' END
    || CASE WHEN c.issued THEN ',"chain":"polygon","currencyCrypto":"usdc"' ELSE '' END
    || ',"currencyFiat":"EUR","direction":"fiatToCrypto","internalBankAccountId":"' || account
    || '","senderDetails":{"accountDetails":{"currency":"EUR","iban":"' || iban || '"},"senderCountry":"ES"},"status":"'
    || c.status || CASE WHEN c.issued THEN '","transactionHash":"' || hash ELSE '' END
    || '","transactionUuid":"' || uuid || '","walletAddress":"' || wallet
  ELSE
    '{"data":{"amountCrypto":' || crypto || CASE WHEN c.issued THEN ',"amountFiat":' || fiat ELSE '' END
    || CASE WHEN c.refunded THEN ',"amountRefunded":' || crypto ELSE '' END
    || ',"beneficiaryDetails":{"accountDetails":{"accountNumber":"' || number || '","currency":"EUR"}}'
    || ',"chain":"polygon","currencyCrypto":"usdc","currencyFiat":"EUR","direction":"cryptoToFiat"'
    || ',"remoteBankAccountUuid":"' || account || '","sendingAddress":"' || wallet || '","status":"' || c.status
    || CASE WHEN c.i > 0 THEN '","transactionHash":"' || hash ELSE '' END || '","transactionUuid":"' || uuid
  END || '"},"subType":"' || c.step || '","type":"' || m.direction || '","uuid":"' || person || '"}'`

export const events = (seed: number) => `
  INSERT INTO event (subject_id, id, fingerprint, type, sub_type, status, entity_uuid, position, rank, deliveries,
    first_received_at, last_received_at, flags, envelope)
  SELECT subject_id, ${idOf(`'${seed}:event:' || n || ':' || c.i`)},
    sha256(body), m.direction, c.step, c.status, person, c.i, c.rank, 1, at, at, '{}', body
  FROM made m JOIN made_course c ON c.direction = m.direction AND c.course = m.course,
    LATERAL (SELECT started + c.i * pace * interval '1 ms' AS at, convert_to(${envelope}, 'UTF8') AS body) AS e`

/** Each person reports on itself and on its account, a minute apart, spread over the time of the transactions. */
export const otherEvents = (seed: number) => `
  INSERT INTO event (subject_id, id, fingerprint, type, sub_type, status, entity_uuid, position, rank, deliveries,
    first_received_at, last_received_at, flags, envelope)
  SELECT subject_id, ${idOf(`'${seed}:other:' || k || ':' || n`)}, sha256(body), type, 'statusUpdate', status, uuid,
    n % 2, rank, 1, at, at, '{}', body
  FROM made_person,
    LATERAL (VALUES (0, 'WAITING_CREATION', 0), (1, ends, 2), (2, 'PENDING', NULL), (3, 'APPROVED', NULL))
      AS s (n, status, rank),
    LATERAL (SELECT joined + n * interval '1 min' AS at, CASE WHEN n < 2 THEN 'unblockBankAccount' ELSE checks END AS type,
      CASE WHEN n < 2 THEN 'bank-account:' || account ELSE 'entity:' || uuid END AS subject_id) AS t,
    LATERAL (SELECT convert_to('{"data":{' || CASE WHEN n < 2 THEN '"currency":"EUR","iban":"' || own_iban || '",' ELSE '' END
      || '"status":"' || status || CASE WHEN n < 2 THEN '","uuid":"' || account ELSE '' END
      || '"},"subType":"statusUpdate","type":"' || type || '","uuid":"' || uuid || '"}', 'UTF8') AS body) AS e`

/** The status of each person and account comes from the last of its events. */
export const standings = `
  INSERT INTO standing (subject_id, type, state, event_id, currency, entity_uuid, started_at, last_move_at)
  SELECT DISTINCT ON (subject_id, type) subject_id, type, status, id,
    CASE WHEN type = 'unblockBankAccount' THEN 'EUR' END, entity_uuid,
    min(first_received_at) OVER each, max(first_received_at) OVER each
  FROM event WHERE sub_type = 'statusUpdate' AND ${isMade}
  WINDOW each AS (PARTITION BY subject_id, type) ORDER BY subject_id, type, position DESC`

/** Each event arrived once, at one receiver. */
export const deliveries = `
  INSERT INTO event_delivery (subject_id, delivery_id, event_id, seq, received_at, receiver_id, answer, reason)
  SELECT subject_id, id, id, (extract(epoch FROM first_received_at) * 1000)::bigint, first_received_at,
    '00000000-0000-4000-8000-000000000001', 'sure', '{"kind": "first"}' FROM event WHERE ${isMade}`

export const transactions = `
  INSERT INTO transaction (subject_id, uuid, direction, step, reason, amount_fiat, amount_crypto, amount_refunded,
    currency_fiat, currency_crypto, chain, transaction_hash, user_uuid, details, flags, started_at, last_move_at,
    finished_at)
  SELECT subject_id, uuid, m.direction, c.step, c.status, CASE WHEN buys OR c.issued THEN fiat::numeric END,
    CASE WHEN c.issued OR NOT buys THEN crypto::numeric END,
    CASE WHEN c.refunded THEN CASE WHEN buys THEN fiat ELSE crypto END::numeric END, 'EUR',
    CASE WHEN c.issued OR NOT buys THEN 'usdc' END, CASE WHEN c.issued OR NOT buys THEN 'polygon' END,
    CASE WHEN c.issued OR NOT buys THEN hash END, person,
    jsonb_strip_nulls(jsonb_build_object('walletAddress', CASE WHEN buys THEN wallet END, 'sendingAddress', CASE WHEN NOT buys THEN wallet END,
      'sender', CASE WHEN buys THEN jsonb_build_object('name', null, 'country', 'ES', 'iban', iban, 'currency', 'EUR') END,
      'beneficiary', CASE WHEN NOT buys THEN jsonb_build_object('name', null, 'accountNumber', number, 'bankCode', null,
        'bankName', null, 'currency', 'EUR') END,
      'internalBankAccountId', CASE WHEN buys THEN account END, 'linkedBankAccountUuid', null,
      'remoteBankAccountUuid', CASE WHEN NOT buys THEN account END,
      'durationSeconds', CASE WHEN c.rank >= 3 THEN 3 * pace / 1000.0 END,
      'endedAt', CASE WHEN c.refunded
        THEN to_char((started + 2 * pace * interval '1 ms') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END)),
    '{}', started, ended, CASE WHEN c.rank >= 3 THEN ended END
  FROM made m JOIN made_course c ON c.direction = m.direction AND c.course = m.course AND c.i = 3,
    LATERAL (SELECT m.direction = 'fiatToCrypto' AS buys, started + 3 * pace * interval '1 ms' AS ended) AS e`

export const identifiers = `
  INSERT INTO identifier (subject_id, value, started_at)
  SELECT subject_id, value, started FROM made m,
    LATERAL (VALUES (uuid), (wallet), (account), (person),
      (CASE WHEN direction = 'cryptoToFiat' OR course IN ('done', 'held') THEN hash END),
      (CASE direction WHEN 'fiatToCrypto' THEN '=' || lower(iban) || '=' END),
      (CASE direction WHEN 'cryptoToFiat' THEN '=' || number || '=' END)) AS v (value)
  WHERE value IS NOT NULL`

export const otherIdentifiers = `
  INSERT INTO identifier (subject_id, value, started_at)
  SELECT subject_id, value, started FROM made_person,
    LATERAL (VALUES ('bank-account:' || account, account, joined), ('bank-account:' || account, '=' || lower(own_iban) || '=', joined),
      ('bank-account:' || account, uuid, joined), ('entity:' || uuid, uuid, joined + interval '2 min'))
      AS v (subject_id, value, started)`

/** The counts of all transactions and standings are made anew, as the projector counts them. */
export const counts = `
  DELETE FROM transaction_count;
  INSERT INTO transaction_count (at, sort, direction, step, currency, pace, slot, count, amount)
  SELECT c.at, sort, COALESCE(direction, ''), c.step, currency, pace, -1, count(*), sum(amount) FROM transaction,
    LATERAL (SELECT COALESCE(step, '') AS step, (details ->> 'durationSeconds')::float8 AS seconds) AS t,
    LATERAL (VALUES ('epoch'::timestamptz, 'current', t.step, '', 0, 0, true),
      ('epoch', 'open', t.step, '', 0, 0, finished_at IS NULL),
      (date_bin('15 min', started_at, 'epoch'), 'started', t.step, '', 0, 0, started_at > now() - interval '20 days'),
      (date_bin('15 min', finished_at, 'epoch'), 'finished', t.step, upper(left(COALESCE(currency_fiat, ''), 20)), 0,
        CASE WHEN t.step = 'SUCCESS' THEN COALESCE(amount_fiat, 0) ELSE 0 END, finished_at > now() - interval '20 days'),
      (date_trunc('hour', finished_at), 'pace', '', '', floor(ln(GREATEST(seconds, 0.1)) / ln(1.1::float8))::int, 0,
        t.step = 'SUCCESS' AND seconds IS NOT NULL AND finished_at > now() - interval '20 days'))
      AS c (at, sort, step, currency, pace, amount, counted)
  WHERE counted GROUP BY 1, 2, 3, 4, 5, 6;
  DELETE FROM standing_count;
  INSERT INTO standing_count (type, state, currency, slot, count)
  SELECT type, COALESCE(state, ''), COALESCE(currency, ''), -1, count(*) FROM standing GROUP BY 1, 2, 3`
