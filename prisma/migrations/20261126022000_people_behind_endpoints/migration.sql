-- Who made an endpoint, and who has seen its secret: what is left of somebody when they leave the team.
CREATE TABLE "endpoint_person" (
    "endpoint_uuid" UUID NOT NULL,
    "person" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "endpoint_person_pkey" PRIMARY KEY ("endpoint_uuid", "person", "what")
);
CREATE INDEX "endpoint_person_person_idx" ON "endpoint_person"("person");
