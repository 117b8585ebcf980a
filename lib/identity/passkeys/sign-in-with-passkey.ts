import 'server-only'
import { generateAuthenticationOptions } from '@simplewebauthn/server'
import { z } from 'zod'
import type { ActionContext, RequestContext } from '#lib/access/caller.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { findMembership } from '../members/find-membership.ts'
import { startSession } from '../sessions/open-session.ts'
import { refuseSignIn, type SignInOutcome } from '../sign-in/complete-sign-in.ts'
import { issuePasskeyChallenge, relyingParty, SignatureAnswerSchema } from './passkey-challenges.ts'
import { notePasskeyUse, reportCopiedPasskey, verifyPasskey } from './verify-passkey.ts'

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
      if (used === 'copied') throw new Refused('passkey-copied')
      const signedIn = { userUuid, memberId, method: 'passkey', serviceSessionId: null, role } as const
      return startSession(tx, signedIn, context, { passkey: passkey.id, ...used })
    })
    return { kind: 'signed-in', token }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    await reportCopiedPasskey(passkey, name ?? memberId, context)
    return { kind: 'refused', why: 'passkey-copied' }
  }
}
