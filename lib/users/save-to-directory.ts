import 'server-only'
import type { Transaction } from '#lib/db/in-transaction.ts'
import { emailKey } from './email-key.ts'

/** What is known of a user of the service; null where it said nothing. */
export interface KnownUser {
  readonly userUuid: string
  readonly email: string | null
  readonly targetAddress: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly country: string | null
  readonly status: string | null
}

/**
 * Enters a user into the directory or brings the entry up to date. What the service left out stays as it was.
 * @param source how the user was first met
 */
export async function saveToDirectory(
  tx: Transaction,
  user: KnownUser,
  source: 'sign-up' | 'sign-in' | 'admin',
): Promise<void> {
  const { userUuid, email, targetAddress, firstName, lastName, country, status } = user
  const key = email === null ? null : emailKey(email)
  // An address belongs to whom the service named last. One in another case is another person's.
  if (key !== null) await tx.query(GIVE_UP_ADDRESS, [key, userUuid, email])
  const known = [email, key, targetAddress, firstName, lastName, country, status]
  await tx.query(ENTER, [userUuid, source, ...known])
}

const GIVE_UP_ADDRESS = `
  UPDATE person SET email_key = NULL WHERE email_key = $1 AND user_uuid <> $2 AND email = $3`

const ENTER = `
  INSERT INTO person AS known
    (user_uuid, source, email, email_key, target_address, first_name, last_name, country, status)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (user_uuid) DO UPDATE SET
    email = COALESCE(EXCLUDED.email, known.email),
    email_key = COALESCE(EXCLUDED.email_key, known.email_key),
    target_address = COALESCE(EXCLUDED.target_address, known.target_address),
    first_name = COALESCE(EXCLUDED.first_name, known.first_name),
    last_name = COALESCE(EXCLUDED.last_name, known.last_name),
    country = COALESCE(EXCLUDED.country, known.country),
    status = COALESCE(EXCLUDED.status, known.status),
    updated_at = now()`
