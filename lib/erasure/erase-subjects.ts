import 'server-only'
import type { Transaction } from '#lib/db/in-transaction.ts'
import { type Envelope, parseEnvelope, textField } from '#lib/domain/delivery/envelope.ts'
import { eraseBody, isAbout } from '#lib/projector/erased-people.ts'
import { toValue } from './begin-erasure.ts'
import type { ErasureCounts, RunningErasure } from './erasure-store.ts'
import { rewriteSubjects } from './rewrite-subjects.ts'

/** Takes a person out of these subjects. A subject whose id is the person's own goes on under another. */
export const eraseSubjects = (
  tx: Transaction,
  erasure: RunningErasure,
  subjectIds: readonly string[],
): Promise<ErasureCounts> =>
  rewriteSubjects(tx, subjectIds, (bodies) => {
    for (const { body } of bodies) collectValues(erasure, body)
    return ({ body }) => eraseBodyOf(erasure, body)
  })

/** What is kept of a body; null when it neither is about the person nor names them. */
export function eraseBodyOf({ userUuid, mark, values }: RunningErasure, body: Uint8Array): Uint8Array | null {
  return eraseBody(body, userUuid, mark, (text) => values.has(text) || holdsOne(text, values))
}

/** Within a longer text only what cannot be by chance: a uuid, an e-mail address, a wallet. */
const holdsOne = (text: string, values: ReadonlySet<string>): boolean =>
  text.length > 20 &&
  [...values].some((value) => (value.length > 20 || value.includes('@')) && text.includes(value))

/** Remembers what only this person can have, so that it is found where others are told of them. */
function collectValues({ userUuid, values }: RunningErasure, body: Uint8Array): void {
  const parsed = parseEnvelope(body)
  if (parsed.kind !== 'envelope' || !isAbout(parsed.envelope, userUuid)) return
  for (const text of ownValues(parsed.envelope)) {
    const value = toValue(text)
    if (value !== null) values.add(value)
  }
}

/** Of an account in the person's name, of the person's own wallet, of their mail. §6.3, §6.6 */
function ownValues({ type, data }: Envelope): (string | null)[] {
  if (type === 'unblockBankAccount')
    return [textField(data, 'uuid'), textField(data, 'iban'), textField(data, 'account_number')]
  if (type === 'walletCreated') return [textField(data, 'walletAddress')]
  return type === 'otpNotification' ? [textField(data, 'emailAddress')] : []
}
