import 'server-only'
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { prisma } from '#lib/platform/db/prisma.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { SignInRefusal } from '../rules/sign-in-refusal.ts'
import { readClientData, type SignatureAnswer } from './passkey-answers.ts'
import { consumePasskeyChallenge, type PasskeyPurpose } from './passkey-challenges.ts'
import { relyingParty } from './relying-party.ts'

const limited = limitedLog(logOf('passkeys'))

/** A passkey that has proved itself; the counter is compared where it is written. */
export interface ProvedPasskey {
  readonly id: string
  readonly name: string
  readonly memberId: string
  readonly counter: number
  readonly backedUp: boolean
  /** Whether it may be on more than one device, as the device itself says (BE). */
  readonly severalDevices: boolean
}

export type PasskeyVerdict =
  | { readonly kind: 'proved'; readonly passkey: ProvedPasskey }
  | { readonly kind: 'refused'; readonly why: SignInRefusal; readonly memberId: string | null }

/**
 * Judges what a passkey has signed: at this origin, for a challenge of this browser and purpose that was not used
 * before, by a key that is known here, after the device verified the person.
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
    // Looked at below: that the device did not ask for the person has words of its own.
    requireUserVerification: false,
    // Compared when it is written, so that of two uses at once the second is seen.
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

/** The library throws for everything that is wrong with an answer. */
function refusedBy(error: unknown): { readonly verified: false; readonly authenticationInfo?: never } {
  limited.info(causeOf(error), { err: error }, 'An answer of a passkey was refused')
  return { verified: false }
}
