-- What every admin is told: somebody sent data elsewhere, saw a secret, or changed who may do what.
CREATE TABLE "admin_notice" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" TEXT NOT NULL,
    "actor" TEXT,
    "actor_name" TEXT,
    "about" TEXT,
    "reason" TEXT,
    "facts" JSONB NOT NULL DEFAULT '{}',
    "seen_by" TEXT[] NOT NULL DEFAULT '{}',

    CONSTRAINT "admin_notice_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "admin_notice_at_idx" ON "admin_notice"("at" DESC);
