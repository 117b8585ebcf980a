-- CreateTable
CREATE TABLE "gap" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "about" TEXT NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "note" TEXT,
    "outcome" TEXT,
    "reason" TEXT,
    "closed_by" TEXT,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "gap_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "heartbeat" (
    "name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "heartbeat_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "watched_endpoint" (
    "endpoint_uuid" UUID NOT NULL,
    "receiver_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "active_at" TIMESTAMPTZ(3),

    CONSTRAINT "watched_endpoint_pkey" PRIMARY KEY ("endpoint_uuid")
);

-- CreateTable
CREATE TABLE "delivery_hour" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "deliveries" INTEGER NOT NULL,

    CONSTRAINT "delivery_hour_pkey" PRIMARY KEY ("hour")
);

-- CreateIndex
CREATE INDEX "gap_kind_ended_at_idx" ON "gap"("kind", "ended_at");

-- CreateIndex
CREATE INDEX "gap_began_at_id_idx" ON "gap"("began_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "refusal_minute_idx" ON "refusal"("minute");

-- While a transaction was open, by times of receipt. Its outcome may have been received before its beginning.
CREATE FUNCTION "open_while"("started" TIMESTAMPTZ, "finished" TIMESTAMPTZ) RETURNS TSTZRANGE
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT tstzrange(
    LEAST("started", "finished"),
    CASE WHEN "finished" IS NOT NULL THEN GREATEST("started", "finished") END,
    '[]'
  )
$$;

-- Finds the transactions that were open in a gap, however long ago, without reading those that were not.
CREATE INDEX "transaction_open_while_idx" ON "transaction" USING gist ("open_while"("started_at", "finished_at"));
