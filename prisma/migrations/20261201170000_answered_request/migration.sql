-- How requests to a receiver were answered, one by one: a sample of each minute, for a week.
CREATE TABLE "answered_request" (
    "id" UUID NOT NULL,
    "receiver_id" UUID NOT NULL,
    "why" TEXT,
    "ms" INTEGER NOT NULL,

    CONSTRAINT "answered_request_pkey" PRIMARY KEY ("id")
);

-- For lists of what was not taken. What was taken stands in the log, and is found here by its id.
CREATE INDEX "answered_request_refused_idx" ON "answered_request"("receiver_id", "id" DESC) WHERE "why" IS NOT NULL;
