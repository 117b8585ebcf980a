-- Whoever changes a transaction changes its counts too, in the same database transaction. Decision 0143.
DROP TRIGGER count_deleted ON transaction;
DROP TRIGGER count_inserted ON transaction;
DROP TRIGGER count_updated ON transaction;
DROP FUNCTION count_transactions();
DROP FUNCTION take_transaction_count_slot();
DROP FUNCTION transaction_shares(TIMESTAMPTZ, TIMESTAMPTZ, text, text, text, numeric, jsonb);

INSERT INTO transaction_count (at, sort, direction, step, currency, pace, slot, count, amount)
SELECT 'epoch', 'current', COALESCE(direction, ''), COALESCE(step, ''), '', 0, -1, count(*), 0
FROM transaction GROUP BY 3, 4;

-- The lists read each direction by its own index condition.
ALTER TABLE transaction ADD CONSTRAINT transaction_direction_check CHECK (direction IN ('fiatToCrypto', 'cryptoToFiat'));

CREATE TABLE standing_count (
  type text NOT NULL,
  state text NOT NULL,
  currency text NOT NULL,
  slot smallint NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT standing_count_pkey PRIMARY KEY (type, state, currency, slot)
);
INSERT INTO standing_count (type, state, currency, slot, count)
SELECT type, COALESCE(state, ''), COALESCE(currency, ''), -1, count(*) FROM standing GROUP BY 1, 2, 3;

-- Which states are common differs by the type.
CREATE STATISTICS standing_type_state (mcv) ON type, state FROM standing;
