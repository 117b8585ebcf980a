-- rampart: concurrently
CREATE INDEX "audit_expires_at_idx" ON "audit"("expires_at");
CREATE INDEX "audit_actor_at_idx" ON "audit"("actor", "at" DESC);
CREATE INDEX "audit_target_at_idx" ON "audit"("target", "at" DESC);
CREATE INDEX "audit_action_at_idx" ON "audit"("action", "at" DESC);
