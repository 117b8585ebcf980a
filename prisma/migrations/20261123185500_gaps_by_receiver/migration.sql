-- The pace of each receiver by itself; the hours are counted anew from the log.
DELETE FROM "delivery_hour";

-- AlterTable
ALTER TABLE "delivery_hour" DROP CONSTRAINT "delivery_hour_pkey",
ADD COLUMN     "receiver_id" UUID NOT NULL,
ADD CONSTRAINT "delivery_hour_pkey" PRIMARY KEY ("receiver_id", "hour");

-- AlterTable
ALTER TABLE "watched_endpoint" ADD COLUMN     "events" TEXT[],
ADD COLUMN     "events_since" TIMESTAMPTZ(3);

-- Whoever watches endpoints looks at once when one was changed here: nothing short goes unseen.
CREATE FUNCTION "notify_endpoint_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('endpoint', COALESCE(NEW."target", ''));
  RETURN NULL;
END $$;

CREATE TRIGGER "endpoint_changed" AFTER INSERT ON "audit"
FOR EACH ROW WHEN (NEW."action" LIKE 'endpoint.%' AND NEW."outcome" <> 'begun')
EXECUTE FUNCTION "notify_endpoint_changed"();
