-- What staff took off the overview, with why, until it happens again.
CREATE TABLE "overview_mute" (
    "kind" TEXT NOT NULL,
    "about" TEXT NOT NULL,
    "note" TEXT NOT NULL,
    "muted_by" TEXT NOT NULL,
    "muted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "covers_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "overview_mute_pkey" PRIMARY KEY ("kind", "about")
);
CREATE INDEX "overview_mute_muted_at_idx" ON "overview_mute"("muted_at");
