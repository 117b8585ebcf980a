import 'server-only'
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import type { CallSource } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'
import {
  consumePasskeyChallenge,
  type PasskeyPurpose,
  readClientData,
  relyingParty,
  type SignatureAnswer,
} from './passkey-challenges.ts'

const limited = limitedLog(logOf('passkeys'))

/** The passkey has proved itself; its counter is compared when it is written. */
interface ProvedPasskey {
  readonly id: string
  readonly name: string
  readonly memberId: string
  readonly counter: number
  readonly backedUp: boolean
  /** The device says that the passkey may be on more than one device (BE). */
  readonly severalDevices: boolean
}

type PasskeyVerdict =
  | { readonly kind: 'proved'; readonly passkey: ProvedPasskey }
  | { readonly kind: 'refused'; readonly why: SignInRefusal; readonly memberId: string | null }

/**
 * The signature must be made at this origin, for an unused challenge of this browser and purpose, with a key
 * that is known here, after the device verified the person.
 */
export async function verifyPasskey(
  purpose: PasskeyPurpose,
  answer: SignatureAnswer,
  browserId: string | null,
  now = new Date(),
): Promise<PasskeyVerdict> {
  const party = relyingParty()
  const refuse = (why: SignInRefusal, memberId: string | null = null) =>
    ({ kind: 'refused', why, memberId }) as const
  const said = readClientData(answer.response.clientDataJSON)
  if (!said) return refuse('passkey-refused')
  if (said.origin !== party.origin) return refuse('passkey-other-origin')
  const consumed = await consumePasskeyChallenge(purpose, said.challenge, browserId, now)
  if (consumed.kind === 'refused') return refuse(consumed.why)
  const known = await prisma().passkey.findUnique({ where: { credentialId: answer.id } })
  if (!known) return refuse('passkey-unknown')
  if (consumed.memberId !== null && consumed.memberId !== known.memberId) return refuse('passkey-of-another')
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: said.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    // The check is made below, because a device that did not verify the person gets its own words.
    requireUserVerification: false,
    // The counter is compared when it is written, so that the second of two uses at once is seen.
    credential: { id: known.credentialId, publicKey: known.publicKey, counter: 0 },
  }).catch(refusedBy)
  if (!verified) return refuse('passkey-refused', known.memberId)
  const { newCounter, credentialBackedUp, credentialDeviceType, userVerified } = authenticationInfo
  if (!userVerified) return refuse('passkey-unverified', known.memberId)
  const { id, name, memberId } = known
  const severalDevices = credentialDeviceType === 'multiDevice'
  return {
    kind: 'proved',
    passkey: { id, name, memberId, counter: newCounter, backedUp: credentialBackedUp, severalDevices },
  }
}

/** The library throws for every fault of an answer. */
function refusedBy(error: unknown): { readonly verified: false; readonly authenticationInfo?: never } {
  limited.info(causeOf(error), { err: error }, 'An answer of a passkey was refused')
  return { verified: false }
}

/**
 * The use of a passkey is recorded, unless it may have been `copied`: its counter did not rise, though only one
 * device has it. A passkey on several devices (BE) has several counters, so its counter is ignored; a device
 * without a counter always says 0.
 */
export async function notePasskeyUse(
  tx: Transaction,
  { id, counter, backedUp, severalDevices }: ProvedPasskey,
): Promise<'copied' | { readonly counterWentBack?: true }> {
  const { rows } = await tx.query<{ went_up: boolean }>(USED, [id, counter, backedUp, severalDevices])
  const [row] = rows
  if (!row) return 'copied'
  return row.went_up ? {} : { counterWentBack: true }
}

const USED = `
  WITH known AS (
    SELECT id, counter < $2 OR (counter = 0 AND $2 = 0) AS went_up FROM passkey WHERE id = $1 FOR UPDATE
  )
  UPDATE passkey SET counter = $2, backed_up = $3, last_used_at = now()
  FROM known WHERE passkey.id = known.id AND (known.went_up OR $4)
  RETURNING known.went_up`

/** The person and all admins are notified that somebody may have copied a passkey. */
export const reportCopiedPasskey = (
  { id, name, memberId }: ProvedPasskey,
  member: string,
  source: CallSource,
): Promise<void> =>
  inTransaction(pool(), async (tx) => {
    const details = { why: 'passkey-copied', passkey: id }
    const entry = { actor: null, action: 'session.start', target: memberId, outcome: 'refused' } as const
    await recordAudit(tx, { ...entry, details }, source)
    await tellAdmins(tx, {
      kind: 'passkey-copied',
      actor: null,
      about: memberId,
      facts: { member, passkey: name },
    })
  })
