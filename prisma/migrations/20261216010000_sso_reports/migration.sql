-- An address that the provider of single sign-on did not verify: it is shown, and no member is found by it.
ALTER TABLE "member" ADD COLUMN "sso_email" TEXT;
UPDATE "member" SET "sso_email" = "email", "email" = NULL
WHERE "sso_subject" IS NOT NULL AND "email" IS NOT NULL AND NOT EXISTS (
    SELECT FROM "access_link"
    WHERE "member_id" = "member"."id" AND "kind" = 'invitation' AND lower("access_link"."email") = lower("member"."email")
);

-- Who tests single sign-on instead of signing in.
ALTER TABLE "sso_attempt" ADD COLUMN "tested_by" TEXT;

-- Which claims came with the last test of each admin, and with the last sign-in that was refused for its claims.
CREATE TABLE "sso_report" (
    "slot" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "person" TEXT,
    "report" JSONB NOT NULL,

    CONSTRAINT "sso_report_pkey" PRIMARY KEY ("slot")
);
CREATE INDEX "sso_report_at_idx" ON "sso_report"("at");
