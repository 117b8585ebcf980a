-- The secrets of endpoints elsewhere on their way to whoever deploys them, without the secrets.
CREATE TABLE "handover" (
    "id" UUID NOT NULL,
    "endpoint_uuid" UUID,
    "url" TEXT,
    "description" TEXT,
    "known" UUID[],
    "replaces" UUID,
    "state" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "handover_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "handover_endpoint_uuid_key" ON "handover"("endpoint_uuid");

CREATE INDEX "handover_replaces_idx" ON "handover"("replaces");
