-- rampart: concurrently
CREATE INDEX "event_came_again_id_idx" ON "event"("came_again_id" DESC) WHERE "came_again_id" IS NOT NULL;
