-- rampart: concurrently
-- One index for each order of the list, after direction and step: a list without them is merged of all that there are.
CREATE INDEX "transaction_branch_started_at_idx" ON "transaction"((COALESCE("direction", '')), (COALESCE("step", '')), "started_at" DESC);
CREATE INDEX "transaction_branch_last_move_at_idx" ON "transaction"((COALESCE("direction", '')), (COALESCE("step", '')), "last_move_at" DESC);
CREATE INDEX "transaction_branch_amount_idx" ON "transaction"((COALESCE("direction", '')), (COALESCE("step", '')), (COALESCE("amount_fiat", '-Infinity'::numeric)) DESC, "started_at" DESC);
CREATE INDEX "transaction_user_uuid_started_at_idx" ON "transaction"("user_uuid", "started_at" DESC);

-- What was open when: those that are open still, and those that have finished, which a step on the way does not touch.
CREATE INDEX "transaction_open_idx" ON "transaction"("started_at") WHERE "finished_at" IS NULL;
CREATE INDEX "transaction_finished_while_idx" ON "transaction" USING gist ("open_while"("started_at", "finished_at")) WHERE "finished_at" IS NOT NULL;

DROP INDEX "transaction_started_at_subject_id_idx";
DROP INDEX "transaction_last_move_at_subject_id_idx";
DROP INDEX "transaction_user_uuid_started_at_subject_id_idx";
DROP INDEX "transaction_step_started_at_subject_id_idx";
DROP INDEX "transaction_direction_started_at_subject_id_idx";
DROP INDEX "transaction_direction_last_move_at_subject_id_idx";
DROP INDEX "transaction_step_last_move_at_subject_id_idx";
DROP INDEX "transaction_amount_idx";
DROP INDEX "transaction_direction_amount_idx";
DROP INDEX "transaction_step_amount_idx";
DROP INDEX "transaction_direction_step_amount_idx";
DROP INDEX "transaction_open_while_idx";
