-- What is known beside a delivery when it is first folded; null in rows that were made before.
ALTER TABLE "event_delivery" ADD COLUMN "others" SMALLINT,
ADD COLUMN "evidence" JSONB;

-- CreateTable
CREATE TABLE "receiver_period" (
    "receiver_id" UUID NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "events" TEXT[],
    "looked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "receiver_period_pkey" PRIMARY KEY ("receiver_id","began_at")
);

-- CreateTable
CREATE TABLE "refused_body" (
    "receiver_id" UUID NOT NULL,
    "digest" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refused_body_pkey" PRIMARY KEY ("receiver_id","digest","at")
);

-- CreateIndex
CREATE INDEX "refused_body_at_idx" ON "refused_body"("at");

-- Of endpoints that there are, nobody knows since when they get what they get.
INSERT INTO "receiver_period" ("receiver_id", "began_at", "ended_at", "events")
SELECT DISTINCT ON (r."id") r."id", '-infinity', CASE WHEN w."status" = 'active' THEN NULL ELSE COALESCE(w."active_at", now()) END,
       COALESCE(w."events", '{*}')
FROM "receiver" r JOIN "watched_endpoint" w ON w."receiver_id" = r."id" WHERE r."state" <> 'closed' ORDER BY r."id", w."status";
