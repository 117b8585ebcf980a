-- What an endpoint is called, as it was last seen in a state; null for states that an earlier version saw.
ALTER TABLE "endpoint_state" ADD COLUMN "name" TEXT;
