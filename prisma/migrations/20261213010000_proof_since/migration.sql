-- When somebody who is to prove once more who they are was sent to the provider: an older proof does not count.
ALTER TABLE "sso_attempt" ADD COLUMN "proof_since" TIMESTAMPTZ(3);
