-- CreateTable
CREATE TABLE "replay" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "address" TEXT,
    "filter" JSONB NOT NULL,
    "pace" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "total" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "position" BIGINT NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "beat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "replay_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "replay_delivery" (
    "replay_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "delivery_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "ms" INTEGER,
    "error" TEXT,

    CONSTRAINT "replay_delivery_pkey" PRIMARY KEY ("replay_id","seq")
);
