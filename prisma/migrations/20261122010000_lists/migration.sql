-- Every order of the list has an index for each of its filters. One user has so few that they are found by user and sorted.

-- CreateIndex
CREATE INDEX "transaction_direction_started_at_subject_id_idx" ON "transaction"("direction", "started_at" DESC, "subject_id" DESC);

-- CreateIndex
CREATE INDEX "transaction_direction_last_move_at_subject_id_idx" ON "transaction"("direction", "last_move_at" DESC, "subject_id" DESC);

-- CreateIndex
CREATE INDEX "transaction_step_last_move_at_subject_id_idx" ON "transaction"("step", "last_move_at" DESC, "subject_id" DESC);

-- By amount, those without one last, which Prisma's schema cannot say.
CREATE INDEX "transaction_amount_idx" ON "transaction"((COALESCE("amount_fiat", '-Infinity'::numeric)) DESC, "subject_id" DESC);
CREATE INDEX "transaction_direction_amount_idx" ON "transaction"("direction", (COALESCE("amount_fiat", '-Infinity'::numeric)) DESC, "subject_id" DESC);
CREATE INDEX "transaction_step_amount_idx" ON "transaction"("step", (COALESCE("amount_fiat", '-Infinity'::numeric)) DESC, "subject_id" DESC);
-- A step of one direction often tells no amount, and would stand below all of the other's.
CREATE INDEX "transaction_direction_step_amount_idx" ON "transaction"("direction", "step", (COALESCE("amount_fiat", '-Infinity'::numeric)) DESC, "subject_id" DESC);
