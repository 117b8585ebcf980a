-- rampart: concurrently
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");
CREATE INDEX "known_browser_seen_at_idx" ON "known_browser"("seen_at");
CREATE INDEX "delivery_hour_hour_idx" ON "delivery_hour"("hour");
CREATE INDEX "audit_refused_sign_in_idx" ON "audit"("at") WHERE "action" = 'session.start' AND "outcome" = 'refused';
