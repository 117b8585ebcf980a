-- The run of a rebuild that wants this delivery's subject made anew.
ALTER TABLE "delivery_pending" ADD COLUMN "rebuild" UUID;
