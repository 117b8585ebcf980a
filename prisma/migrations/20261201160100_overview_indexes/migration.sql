-- rampart: concurrently
-- The few that the overview lists among all: each index holds no more than these.
CREATE INDEX "transaction_conflict_idx" ON "transaction"("last_move_at") WHERE 'conflict' = ANY("flags");
CREATE INDEX "event_failed_account_idx" ON "event"("id") WHERE "type" IN ('unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount') AND "status" IN ('FAILED', 'FAILED_CREATION');
