-- Where each account, person and company stands, by the events of each type. A rebuild fills it.
CREATE TABLE "standing" (
    "subject_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "state" TEXT,
    "event_id" UUID NOT NULL,
    "currency" TEXT,
    "entity_uuid" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "last_move_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "standing_pkey" PRIMARY KEY ("subject_id", "type")
);

CREATE INDEX "standing_type_last_move_at_idx" ON "standing"("type", "last_move_at" DESC);
CREATE INDEX "standing_type_state_last_move_at_idx" ON "standing"("type", "state", "last_move_at" DESC);
CREATE INDEX "standing_type_currency_last_move_at_idx" ON "standing"("type", "currency", "last_move_at" DESC);
CREATE INDEX "standing_type_state_currency_last_move_at_idx" ON "standing"("type", "state", "currency", "last_move_at" DESC);
CREATE INDEX "standing_entity_uuid_last_move_at_idx" ON "standing"("entity_uuid", "last_move_at" DESC);
