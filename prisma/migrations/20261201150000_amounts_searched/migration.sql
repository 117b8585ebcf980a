-- rampart: concurrently
-- Searches by an amount: of fiat money they go by the index of branches, of coins and of what was refunded by these.
CREATE INDEX "transaction_amount_crypto_idx" ON "transaction"("amount_crypto", "started_at" DESC) WHERE "amount_crypto" IS NOT NULL;
CREATE INDEX "transaction_amount_refunded_idx" ON "transaction"("amount_refunded", "started_at" DESC) WHERE "amount_refunded" IS NOT NULL;
