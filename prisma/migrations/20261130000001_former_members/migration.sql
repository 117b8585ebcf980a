-- A removed member who joins again is another member. An erasure still finds the first one.
ALTER TABLE member ADD COLUMN former_user_uuid uuid;
