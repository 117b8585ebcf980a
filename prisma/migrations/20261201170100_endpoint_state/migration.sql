-- In which state each endpoint of the merchant was seen, wherever it delivers: since when one is off.
CREATE TABLE "endpoint_state" (
    "endpoint_uuid" UUID NOT NULL,
    "seen_from" TIMESTAMPTZ(3) NOT NULL,
    "seen_until" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT NOT NULL,

    CONSTRAINT "endpoint_state_pkey" PRIMARY KEY ("endpoint_uuid","seen_from")
);
