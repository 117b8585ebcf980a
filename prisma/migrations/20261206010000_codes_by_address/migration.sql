-- A code is found by the address that it was asked for. What was asked for before belongs to no address any more.
ALTER TABLE "code_request" ADD COLUMN "address_id" UUID;
UPDATE "code_request" SET "address_id" = "user_uuid";
ALTER TABLE "code_request"
  ALTER COLUMN "address_id" SET NOT NULL,
  DROP CONSTRAINT "code_request_pkey",
  ADD CONSTRAINT "code_request_pkey" PRIMARY KEY ("address_id", "browser_digest");
CREATE INDEX "code_request_user_uuid_idx" ON "code_request"("user_uuid");
