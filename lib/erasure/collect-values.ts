import 'server-only'
import type pg from 'pg'
import { type Envelope, parseEnvelope } from '#lib/domain/delivery/envelope.ts'
import { textField } from '#lib/domain/delivery/text-field.ts'
import { isAbout } from '#lib/projector/erased-people.ts'
import { exactEmail } from '#lib/users/email-key.ts'
import { sharedInCase, toValue } from './person-values.ts'

/** What is known of a person, and whose it is. */
interface KnownValues {
  readonly userUuid: string
  readonly values: Set<string>
  readonly exact: Set<string>
}

/**
 * Remembers what only this person can have, so that it is found where others are told of them.
 * @param email as the directory has it
 */
export async function collectValues(
  database: pg.Pool | pg.ClientBase,
  { userUuid, values, exact }: KnownValues,
  bodies: readonly Uint8Array[],
  email: string | null = null,
): Promise<void> {
  const emails = new Set(toValue(email) !== null && email !== null ? [email] : [])
  for (const body of bodies) {
    const parsed = parseEnvelope(body)
    if (parsed.kind !== 'envelope' || !isAbout(parsed.envelope, userUuid)) continue
    for (const text of ownValues(parsed.envelope)) {
      const value = toValue(text)
      if (value !== null) values.add(value)
    }
    const mailed = emailOf(parsed.envelope)
    if (toValue(mailed) !== null && mailed !== null) emails.add(mailed)
  }
  const shared = await sharedInCase(database, userUuid, [...emails])
  for (const email of emails)
    if (shared.has(email)) exact.add(exactEmail(email))
    else values.add(toValue(email) ?? email)
}

/** Of an account in the person's name, of the person's own wallet. §6.3 */
function ownValues({ type, data }: Envelope): (string | null)[] {
  if (type === 'unblockBankAccount')
    return [textField(data, 'uuid'), textField(data, 'iban'), textField(data, 'account_number')]
  return type === 'walletCreated' ? [textField(data, 'walletAddress')] : []
}

/** §6.6 */
const emailOf = ({ type, data }: Envelope): string | null =>
  type === 'otpNotification' ? textField(data, 'emailAddress') : null
