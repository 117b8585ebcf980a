-- What followed a step, how often and after how long. '*' stands for any reason.
CREATE TABLE "usual_next" (
    "direction" TEXT NOT NULL,
    "step" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "next" TEXT NOT NULL,
    "moves" INTEGER NOT NULL,
    "half_ms" BIGINT,

    CONSTRAINT "usual_next_pkey" PRIMARY KEY ("direction", "step", "reason", "next")
);
