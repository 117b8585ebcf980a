-- CreateTable
CREATE TABLE "setting" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "person" (
    "user_uuid" UUID NOT NULL,
    "email" TEXT,
    "email_key" TEXT,
    "target_address" TEXT,
    "first_name" TEXT,
    "last_name" TEXT,
    "country" TEXT,
    "status" TEXT,
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "person_pkey" PRIMARY KEY ("user_uuid")
);

-- CreateTable
CREATE TABLE "member" (
    "id" UUID NOT NULL,
    "user_uuid" UUID,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "member_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "token_digest" BYTEA NOT NULL,
    "user_uuid" UUID NOT NULL,
    "method" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "service_session" BYTEA,
    "service_key_id" TEXT,
    "user_agent" TEXT,
    "ip" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "signed_in_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "idle_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "challenge" (
    "nonce" TEXT NOT NULL,
    "browser_digest" BYTEA NOT NULL,
    "address" TEXT NOT NULL,
    "chain_id" BIGINT NOT NULL,
    "message" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "challenge_pkey" PRIMARY KEY ("nonce")
);

-- CreateTable
CREATE TABLE "known_browser" (
    "user_uuid" UUID NOT NULL,
    "browser_digest" BYTEA NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "known_browser_pkey" PRIMARY KEY ("user_uuid","browser_digest")
);

-- CreateTable
CREATE TABLE "rate_limit" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "audit" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT,
    "actor_role" TEXT,
    "action" TEXT NOT NULL,
    "target" TEXT,
    "outcome" TEXT NOT NULL,
    "reason" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "ip" TEXT,
    "user_agent" TEXT,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "receiver" (
    "id" UUID NOT NULL,
    "endpoint_uuid" UUID,
    "state" TEXT NOT NULL,
    "secret_digest" BYTEA,
    "secret_key_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_delivery_at" TIMESTAMPTZ(3),

    CONSTRAINT "receiver_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refusal" (
    "receiver_id" UUID NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "why" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refusal_pkey" PRIMARY KEY ("receiver_id","minute","why")
);

-- The order of arrival, one sequence over all partitions.
CREATE SEQUENCE "delivery_seq" AS BIGINT;

-- CreateTable
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "seq" BIGINT NOT NULL DEFAULT nextval('delivery_seq'::regclass),
    "receiver_id" UUID NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "body" BYTEA NOT NULL,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- Months get partitions of their own at run time, this one holds what falls outside them.
CREATE TABLE "delivery_default" PARTITION OF "delivery" DEFAULT;

-- CreateTable
CREATE TABLE "delivery_pending" (
    "delivery_id" UUID NOT NULL,
    "set_aside_at" TIMESTAMPTZ(3),
    "error" TEXT,

    CONSTRAINT "delivery_pending_pkey" PRIMARY KEY ("delivery_id")
);

-- CreateTable
CREATE TABLE "answer_lost" (
    "delivery_id" UUID NOT NULL,
    "how" TEXT NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "answer_lost_pkey" PRIMARY KEY ("delivery_id")
);

-- CreateTable
CREATE TABLE "lease" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "epoch" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "event" (
    "subject_id" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "type" TEXT,
    "sub_type" TEXT,
    "status" TEXT,
    "entity_uuid" TEXT,
    "position" INTEGER NOT NULL,
    "rank" SMALLINT,
    "deliveries" INTEGER NOT NULL,
    "first_received_at" TIMESTAMPTZ(3) NOT NULL,
    "last_received_at" TIMESTAMPTZ(3) NOT NULL,
    "placed_before" TIMESTAMPTZ(3),
    "flags" TEXT[],
    "unreadable" TEXT,
    "envelope" BYTEA NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("subject_id","id")
);

-- CreateTable
CREATE TABLE "event_delivery" (
    "subject_id" TEXT NOT NULL,
    "delivery_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "seq" BIGINT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "receiver_id" UUID NOT NULL,
    "answer" TEXT NOT NULL,
    "reason" JSONB NOT NULL,

    CONSTRAINT "event_delivery_pkey" PRIMARY KEY ("subject_id","delivery_id")
);

-- CreateTable
CREATE TABLE "transaction" (
    "subject_id" TEXT NOT NULL,
    "uuid" TEXT NOT NULL,
    "direction" TEXT,
    "step" TEXT,
    "reason" TEXT,
    "amount_fiat" DECIMAL,
    "amount_crypto" DECIMAL,
    "amount_refunded" DECIMAL,
    "fees" DECIMAL,
    "limit_amount" DECIMAL,
    "currency_fiat" TEXT,
    "currency_crypto" TEXT,
    "chain" TEXT,
    "transaction_hash" TEXT,
    "user_uuid" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "flags" TEXT[],
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "last_move_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "transaction_pkey" PRIMARY KEY ("subject_id")
);

-- CreateTable
CREATE TABLE "identifier" (
    "subject_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,
    "reversed" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "identifier_pkey" PRIMARY KEY ("subject_id","kind","value")
);

-- CreateIndex
CREATE UNIQUE INDEX "person_email_key_key" ON "person"("email_key");

-- CreateIndex
CREATE UNIQUE INDEX "member_user_uuid_key" ON "member"("user_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_digest_key" ON "session"("token_digest");

-- CreateIndex
CREATE INDEX "session_user_uuid_idx" ON "session"("user_uuid");

-- CreateIndex
CREATE INDEX "challenge_expires_at_idx" ON "challenge"("expires_at");

-- CreateIndex
CREATE INDEX "rate_limit_expire_idx" ON "rate_limit"("expire");

-- CreateIndex
CREATE INDEX "audit_at_idx" ON "audit"("at" DESC);

-- CreateIndex
CREATE INDEX "receiver_endpoint_uuid_idx" ON "receiver"("endpoint_uuid");

-- CreateIndex
CREATE INDEX "delivery_receiver_id_id_idx" ON "delivery"("receiver_id", "id" DESC);

-- CreateIndex
CREATE INDEX "event_id_idx" ON "event"("id" DESC);

-- CreateIndex
CREATE INDEX "event_type_id_idx" ON "event"("type", "id" DESC);

-- CreateIndex
CREATE INDEX "event_entity_uuid_id_idx" ON "event"("entity_uuid", "id" DESC);

-- CreateIndex
CREATE INDEX "event_delivery_delivery_id_idx" ON "event_delivery"("delivery_id");

-- CreateIndex
CREATE INDEX "transaction_started_at_subject_id_idx" ON "transaction"("started_at" DESC, "subject_id" DESC);

-- CreateIndex
CREATE INDEX "transaction_last_move_at_subject_id_idx" ON "transaction"("last_move_at" DESC, "subject_id" DESC);

-- CreateIndex
CREATE INDEX "transaction_user_uuid_started_at_subject_id_idx" ON "transaction"("user_uuid", "started_at" DESC, "subject_id" DESC);

-- CreateIndex
CREATE INDEX "transaction_step_started_at_subject_id_idx" ON "transaction"("step", "started_at" DESC, "subject_id" DESC);

-- CreateIndex
CREATE INDEX "identifier_value_kind_idx" ON "identifier"("value", "kind");

-- CreateIndex
CREATE INDEX "identifier_reversed_kind_idx" ON "identifier"("reversed", "kind");



-- Every process that takes deliveries forgets what it remembers of a receiver at once, whoever changed it.
CREATE FUNCTION "notify_receiver_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('receiver', COALESCE(NEW."id", OLD."id")::text);
  RETURN NULL;
END
$$;

CREATE TRIGGER "receiver_changed" AFTER INSERT OR DELETE OR UPDATE OF "state", "secret_digest", "secret_key_id" ON "receiver"
FOR EACH ROW EXECUTE FUNCTION "notify_receiver_changed"();
