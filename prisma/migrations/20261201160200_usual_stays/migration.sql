-- How long 99 of 100 transactions stayed at a step before they went on. '*' stands for any currency or chain.
CREATE TABLE "usual_stay" (
    "direction" TEXT NOT NULL,
    "step" TEXT NOT NULL,
    "currency_fiat" TEXT NOT NULL,
    "chain" TEXT NOT NULL,
    "longest_ms" BIGINT NOT NULL,
    "stays" INTEGER NOT NULL,

    CONSTRAINT "usual_stay_pkey" PRIMARY KEY ("direction", "step", "currency_fiat", "chain")
);
