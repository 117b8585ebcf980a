-- rampart: concurrently
-- A list reads one index for each direction, or for each direction and step. Decision 0143.
CREATE INDEX transaction_direction_started_at_idx ON transaction (COALESCE(direction, ''), started_at DESC);
CREATE INDEX transaction_direction_last_move_at_idx ON transaction (COALESCE(direction, ''), last_move_at DESC);
CREATE INDEX transaction_direction_amount_idx ON transaction (COALESCE(direction, ''), COALESCE(amount_fiat, '-Infinity'::numeric) DESC, started_at DESC);
CREATE INDEX transaction_direction_step_started_at_idx ON transaction (COALESCE(direction, ''), step, started_at DESC);
CREATE INDEX transaction_direction_step_last_move_at_idx ON transaction (COALESCE(direction, ''), step, last_move_at DESC);
CREATE INDEX transaction_direction_step_amount_idx ON transaction (COALESCE(direction, ''), step, COALESCE(amount_fiat, '-Infinity'::numeric) DESC, started_at DESC);
CREATE INDEX transaction_direction_step_began_at_idx ON transaction (COALESCE(direction, ''), step, step_began_at) WHERE step_began_at IS NOT NULL;
DROP INDEX transaction_branch_amount_idx;
DROP INDEX transaction_branch_last_move_at_idx;
DROP INDEX transaction_branch_started_at_idx;
DROP INDEX transaction_step_began_at_idx;
CREATE INDEX event_unknown_type_idx ON event (id DESC) WHERE (type IS NULL OR type <> ALL ('{fiatToCrypto,cryptoToFiat,KYC,KYB,AML,unblockBankAccount,entityStatusUpdate,walletCreated,linkedBankAccountProfile,linkBankAccount,duplicateUser,senderNameMismatch,otpNotification}'::text[]));
CREATE INDEX standing_unclear_check_idx ON standing (last_move_at DESC) WHERE type = 'AML' AND state <> ALL ('{PASSED,PASS,APPROVED,ACCEPTED,CLEAR,CLEARED,COMPLETED,SUCCESS,OK,IN_REVIEW,PENDING}'::text[]);
