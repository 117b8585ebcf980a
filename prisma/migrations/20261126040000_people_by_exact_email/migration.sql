-- Two users of the service whose addresses differ in case only are two people.
DROP INDEX "person_email_key_key";
CREATE INDEX "person_email_key_idx" ON "person"("email_key");
