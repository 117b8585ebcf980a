import 'server-only'
import type { Transaction } from '#lib/db/in-transaction.ts'
import { type Envelope, parseEnvelope, textField } from '#lib/domain/delivery/envelope.ts'
import { eraseBody, isAbout } from '#lib/projector/erased-people.ts'
import { exactEmail } from '#lib/users/email-key.ts'
import type { ErasureCounts, RunningErasure } from './erasure-store.ts'
import { holdsValue, sharedInCase, toValue } from './person-values.ts'
import { rewriteSubjects } from './rewrite-subjects.ts'

/** Takes a person out of these subjects. A subject whose id is the person's own goes on under another. */
export const eraseSubjects = (
  tx: Transaction,
  erasure: RunningErasure,
  subjectIds: readonly string[],
): Promise<ErasureCounts> =>
  rewriteSubjects(tx, subjectIds, async (bodies) => {
    await collectValues(
      tx,
      erasure,
      bodies.map(({ body }) => body),
    )
    return ({ body }) => eraseBodyOf(erasure, body)
  })

/** What is kept of a body; null when it neither is about the person nor names them. */
export function eraseBodyOf(erasure: RunningErasure, body: Uint8Array): Uint8Array | null {
  return eraseBody(body, erasure.userUuid, erasure.mark, (text) => holdsValue(erasure, text))
}

/** Remembers what only this person can have, so that it is found where others are told of them. */
async function collectValues(
  tx: Transaction,
  { userUuid, values, exact }: RunningErasure,
  bodies: readonly Uint8Array[],
): Promise<void> {
  const emails = new Set<string>()
  for (const body of bodies) {
    const parsed = parseEnvelope(body)
    if (parsed.kind !== 'envelope' || !isAbout(parsed.envelope, userUuid)) continue
    for (const text of ownValues(parsed.envelope)) {
      const value = toValue(text)
      if (value !== null) values.add(value)
    }
    const email = emailOf(parsed.envelope)
    if (toValue(email) !== null && email !== null) emails.add(email)
  }
  const shared = await sharedInCase(tx, userUuid, [...emails])
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
