-- What a replay or rebuild puts into the queue again waits behind what is new; each has a column of its own meaning.
ALTER TABLE "delivery_pending" RENAME COLUMN "rebuild" TO "run";
ALTER TABLE "delivery_pending" ADD COLUMN "shard" SMALLINT;
CREATE INDEX "delivery_pending_run_idx" ON "delivery_pending"("run", "delivery_id") WHERE "run" IS NOT NULL;

-- A rebuild goes from subject to subject, each shard by itself; a last part looks for what no subject has.
CREATE TABLE "rebuild" (
    "id" UUID NOT NULL,
    "rules" INTEGER NOT NULL,
    "total" BIGINT NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "rebuild_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "rebuild_unfinished_idx" ON "rebuild"(("finished_at" IS NULL)) WHERE "finished_at" IS NULL;

CREATE TABLE "rebuild_part" (
    "rebuild_id" UUID NOT NULL,
    "part" SMALLINT NOT NULL,
    "cursor" TEXT NOT NULL DEFAULT '',
    "done" BIGINT NOT NULL DEFAULT 0,
    "finished" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "rebuild_part_pkey" PRIMARY KEY ("rebuild_id","part")
);
DELETE FROM "setting" WHERE "key" = 'rebuild';

-- All deliveries of an event have its fingerprint.
ALTER TABLE "event_delivery" DROP COLUMN "fingerprint";
