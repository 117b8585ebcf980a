import 'server-only'
import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server'
import { z } from 'zod'
import {
  type ActionContext,
  type Caller,
  type CallSource,
  isFreshlySignedIn,
  type RequestContext,
} from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { consumeLimit, refuseBeyondLimit } from '#lib/platform/limits/limits.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { findMembership } from '../members/membership.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'
import { startSession } from '../sessions/open-session.ts'
import { refuseSignIn, type SignInOutcome } from '../sign-in/complete-sign-in.ts'
import { requireMember } from './own-passkeys.ts'
import {
  consumePasskeyChallenge,
  issuePasskeyChallenge,
  type PasskeyPurpose,
  passkeysWork,
  readClientData,
  relyingParty,
  type SignatureAnswer,
  SignatureAnswerSchema,
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
async function verifyPasskey(
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
 * The use of a passkey is recorded, unless it may have been `copied`: its counter did not rise, though only one device has
 * it. One that was removed meanwhile is `gone`. A passkey on several devices (BE) has several counters, so its counter is
 * ignored; a device without a counter always says 0.
 */
async function notePasskeyUse(
  tx: Transaction,
  { id, counter, backedUp, severalDevices }: ProvedPasskey,
): Promise<'copied' | 'gone' | { readonly counterWentBack?: true }> {
  const { rows } = await tx.query<{ went_up: boolean }>(USED, [id, counter, backedUp, severalDevices])
  const [row] = rows
  if (!row) return (await tx.query(EXISTS, [id])).rowCount === 0 ? 'gone' : 'copied'
  return row.went_up ? {} : { counterWentBack: true }
}

const USED = `
  WITH known AS (
    SELECT id, counter < $2 OR (counter = 0 AND $2 = 0) AS went_up FROM passkey WHERE id = $1 FOR UPDATE
  )
  UPDATE passkey SET counter = $2, backed_up = $3, last_used_at = now()
  FROM known WHERE passkey.id = known.id AND (known.went_up OR $4)
  RETURNING known.went_up`

const EXISTS = 'SELECT FROM passkey WHERE id = $1'

/** The person and all admins are notified that somebody may have copied a passkey. */
const reportCopiedPasskey = (
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

/** The browser gets `PublicKeyCredentialRequestOptions` as JSON. */
export type SignatureOptions = Awaited<ReturnType<typeof generateAuthenticationOptions>>

/** The device may answer with any passkey that it has for this dashboard: it knows the owner. Throws `Refused`. */
export async function beginPasskeySignIn({ browserId, ip }: ActionContext): Promise<SignatureOptions> {
  const { id: rpID } = relyingParty()
  await refuseBeyondLimit('passkey-per-ip', ip, 'too-many-tries')
  const challenge = await issuePasskeyChallenge('sign-in', browserId, null)
  return generateAuthenticationOptions({
    rpID,
    challenge: Buffer.from(challenge, 'base64url'),
    userVerification: 'required',
  })
}

export const PasskeySignInSchema = z.object({ answer: SignatureAnswerSchema })

export async function signInWithPasskey(
  { answer }: z.output<typeof PasskeySignInSchema>,
  context: RequestContext,
): Promise<SignInOutcome> {
  if ((await consumeLimit('passkey-answer-per-ip', context.ip)) > 0)
    return refuseSignIn('too-many', 'passkey', null, context)
  const verdict = await verifyPasskey('sign-in', answer, context.browserId)
  if (verdict.kind === 'refused') return refuseSignIn(verdict.why, 'passkey', verdict.memberId, context)
  const { passkey } = verdict
  const { memberId } = passkey
  const member = await prisma().member.findUnique({ where: { id: memberId } })
  const userUuid = member?.userUuid ?? null
  const {
    role,
    memberId: present,
    name,
    settingUp,
  } = await findMembership({ userUuid, memberId, method: 'passkey' })
  if (present === null || settingUp) return refuseSignIn('passkey-unknown', 'passkey', memberId, context)
  try {
    const token = await inTransaction(pool(), async (tx) => {
      const used = await notePasskeyUse(tx, passkey)
      // This error undoes everything in the transaction.
      if (typeof used === 'string') throw new Refused(refusals[used])
      const signedIn = { userUuid, memberId, method: 'passkey', serviceSessionId: null, role } as const
      return startSession(tx, signedIn, context, { passkey: passkey.id, ...used })
    })
    return { kind: 'signed-in', token }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.code === refusals.gone) return refuseSignIn(refusals.gone, 'passkey', memberId, context)
    await reportCopiedPasskey(passkey, name ?? memberId, context)
    return { kind: 'refused', why: 'passkey-copied' }
  }
}

const refusals = { copied: 'passkey-copied', gone: 'passkey-unknown' } as const

/** The caller may have proved just now who they are, and may be able to with a passkey. */
export interface Freshness {
  readonly fresh: boolean
  readonly hasPasskey: boolean
}

export async function readFreshness(caller: Caller): Promise<Freshness> {
  const { memberId } = caller
  const hasPasskey =
    memberId !== null && passkeysWork() && (await prisma().passkey.count({ where: { memberId } })) > 0
  return { fresh: isFreshlySignedIn(caller), hasPasskey }
}

/** The device is asked for one of the caller's own passkeys. Throws `Refused`. */
export async function beginConfirmation(
  caller: Caller,
  _form: object,
  { browserId }: ActionContext,
): Promise<SignatureOptions> {
  const memberId = requireMember(caller)
  const { id: rpID } = relyingParty()
  const own = await prisma().passkey.findMany({ where: { memberId } })
  if (own.length === 0) throw new Refused('no-passkey')
  const challenge = await issuePasskeyChallenge('confirm', browserId, memberId)
  return generateAuthenticationOptions({
    rpID,
    challenge: Buffer.from(challenge, 'base64url'),
    allowCredentials: own.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    userVerification: 'required',
  })
}

export const ConfirmSchema = z.object({ answer: SignatureAnswerSchema })

/** The caller has proved again who they are: their session counts as freshly signed in. Throws `Refused`. */
export async function confirmWithPasskey(
  caller: Caller,
  { answer }: z.output<typeof ConfirmSchema>,
  context: ActionContext,
): Promise<Freshness> {
  const memberId = requireMember(caller)
  const verdict = await verifyPasskey('confirm', answer, context.browserId)
  if (verdict.kind === 'refused') throw new Refused(verdict.why)
  const { passkey } = verdict
  if (passkey.memberId !== memberId) throw new Refused('passkey-of-another')
  const failed = await inTransaction(pool(), async (tx) => {
    const used = await notePasskeyUse(tx, passkey)
    if (typeof used === 'string') return used
    await tx.query(CONFIRM, [caller.sessionId, new Date()])
    const entry = { actor: caller, action: 'session.confirm', outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { passkey: passkey.id, ...used } }, context)
    return null
  })
  if (failed === null) return { fresh: true, hasPasskey: true }
  if (failed === 'copied') await reportCopiedPasskey(passkey, caller.name ?? memberId, context)
  throw new Refused(refusals[failed])
}

const CONFIRM = 'UPDATE session SET signed_in_at = $2 WHERE id = $1 AND ended_at IS NULL'
