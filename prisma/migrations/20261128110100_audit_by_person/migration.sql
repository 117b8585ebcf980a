-- rampart: concurrently
CREATE INDEX "audit_person_at_idx" ON "audit"(("details" ->> 'person'), "at" DESC) WHERE ("details" ->> 'person') IS NOT NULL;
