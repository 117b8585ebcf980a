import 'server-only'
import { generateRegistrationOptions } from '@simplewebauthn/server'
import { prisma } from '#lib/platform/db/prisma.ts'
import { issuePasskeyChallenge } from './passkey-challenges.ts'
import { passkeyAlgorithms, relyingParty } from './relying-party.ts'

/** For whom a passkey is made: a member, or whoever becomes one by a link, whose id is chosen before. */
export interface PasskeyOwner {
  readonly memberId: string
  /** What the device shows beside the passkey: an e-mail address, or the name. */
  readonly label: string
  readonly name: string
}

/** What the browser is asked to make: `PublicKeyCredentialCreationOptions` as JSON. */
export type RegistrationOptions = Awaited<ReturnType<typeof generateRegistrationOptions>>

/** Begins to make a passkey in this browser. A device that has one of this member makes no second. Throws `Refused`. */
export async function beginRegistration(
  { memberId, label, name }: PasskeyOwner,
  browserId: string,
): Promise<RegistrationOptions> {
  const { id: rpID } = relyingParty()
  const existing = await prisma().passkey.findMany({ where: { memberId }, select: { credentialId: true } })
  const challenge = await issuePasskeyChallenge('register', browserId, memberId)
  return generateRegistrationOptions({
    rpName: 'Rampart',
    rpID,
    userID: new TextEncoder().encode(memberId),
    userName: label,
    userDisplayName: name,
    challenge: Buffer.from(challenge, 'base64url'),
    attestationType: 'none',
    supportedAlgorithmIDs: passkeyAlgorithms,
    excludeCredentials: existing.map(({ credentialId }) => ({ id: credentialId })),
    // The device must know whom it is for, since nobody types a name at the sign-in.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}
