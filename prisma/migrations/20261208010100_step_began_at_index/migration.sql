-- rampart: concurrently
-- Only of those that were told of again after they came there; the others are found by their last move.
CREATE INDEX "transaction_step_began_at_idx" ON "transaction"((COALESCE("direction", '')), (COALESCE("step", '')), "step_began_at" DESC) WHERE "step_began_at" IS NOT NULL;
