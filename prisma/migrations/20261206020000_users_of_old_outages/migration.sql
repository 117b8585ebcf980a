-- Ten tries without an answer were taken for the service's refusal: such users are asked for again, at the reader's pace. Only
-- who was refused at the very tenth try looks the same, and is asked for once more.
UPDATE "user_lookup" SET "outcome" = 'waiting', "attempts" = 0, "next_at" = now()
WHERE "outcome" = 'refused' AND "attempts" = 10;
