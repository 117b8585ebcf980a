import 'server-only'
import { generateAuthenticationOptions } from '@simplewebauthn/server'
import { z } from 'zod'
import { type ActionContext, type Caller, isFreshlySignedIn } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { requireMember } from './own-passkeys.ts'
import {
  issuePasskeyChallenge,
  passkeysWork,
  relyingParty,
  SignatureAnswerSchema,
} from './passkey-challenges.ts'
import type { SignatureOptions } from './sign-in-with-passkey.ts'
import { notePasskeyUse, reportCopiedPasskey, verifyPasskey } from './verify-passkey.ts'

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
  const confirmed = await inTransaction(pool(), async (tx) => {
    const used = await notePasskeyUse(tx, passkey)
    if (used === 'copied') return false
    await tx.query(CONFIRM, [caller.sessionId])
    const entry = { actor: caller, action: 'session.confirm', outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { passkey: passkey.id, ...used } }, context)
    return true
  })
  if (confirmed) return { fresh: true, hasPasskey: true }
  await reportCopiedPasskey(passkey, caller.name ?? memberId, context)
  throw new Refused('passkey-copied')
}

const CONFIRM = 'UPDATE session SET signed_in_at = now() WHERE id = $1 AND ended_at IS NULL'
