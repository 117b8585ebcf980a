-- Which status was asked for an endpoint here, and how that ended: evidence of gaps. It was read from the audit before.
CREATE TABLE "endpoint_status_change" (
    "id" UUID NOT NULL,
    "endpoint_uuid" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settled_at" TIMESTAMPTZ(3),
    "outcome" TEXT,

    CONSTRAINT "endpoint_status_change_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "endpoint_status_change_asked_at_idx" ON "endpoint_status_change"("asked_at");

-- When the latest one-time password was sent to a user: the waiting page tells of a bounce after it.
CREATE TABLE "code_request" (
    "user_uuid" UUID NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "code_request_pkey" PRIMARY KEY ("user_uuid")
);
CREATE INDEX "code_request_sent_at_idx" ON "code_request"("sent_at");

-- What the audit says of both. An endpoint is changed once at a time, so the entry after `begun` says how it ended;
-- `refused` is left out, since it is written for whoever came second, between another's `begun` and `done`.
INSERT INTO "endpoint_status_change" ("id", "endpoint_uuid", "status", "asked_at", "settled_at", "outcome")
SELECT "id", "target"::uuid, "status", "at",
       CASE WHEN "next_outcome" <> 'begun' THEN "next_at" END,
       CASE WHEN "next_outcome" <> 'begun' THEN "next_outcome" END
FROM (
  SELECT "id", "target", "details" ->> 'status' AS "status", "at", "outcome",
         lead("at") OVER "one" AS "next_at", lead("outcome") OVER "one" AS "next_outcome"
  FROM "audit"
  WHERE "action" = 'endpoint.set-status' AND "outcome" <> 'refused' AND "at" > now() - interval '2 days'
    AND "details" ->> 'status' IN ('active', 'disabled')
    AND "target" ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  WINDOW "one" AS (PARTITION BY "target" ORDER BY "at", "id")
) AS "entry"
WHERE "outcome" = 'begun';

INSERT INTO "code_request" ("user_uuid", "sent_at")
SELECT "target"::uuid, max("at") FROM "audit"
WHERE "action" = 'code.request' AND "outcome" = 'done' AND "at" > now() - interval '1 day'
  AND "target" ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
GROUP BY "target"::uuid;

-- Whoever changes an endpoint wakes the watcher itself.
DROP TRIGGER "endpoint_changed" ON "audit";
DROP FUNCTION "notify_endpoint_changed"();
