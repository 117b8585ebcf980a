-- CreateTable
CREATE TABLE "refused_caller" (
    "receiver_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "address" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refused_caller_pkey" PRIMARY KEY ("receiver_id","hour","address")
);

-- CreateIndex
CREATE INDEX "refused_caller_hour_idx" ON "refused_caller"("hour");

-- CreateTable
CREATE TABLE "key_fault" (
    "process" UUID NOT NULL,
    "key_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_fault_pkey" PRIMARY KEY ("process","key_id")
);
