-- When attempts to deliver may have failed, however short: evidence beside the gaps that people see.
CREATE TABLE "outage" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "receiver_id" UUID,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "why" TEXT NOT NULL,

    CONSTRAINT "outage_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "outage_ended_at_idx" ON "outage"("ended_at");
