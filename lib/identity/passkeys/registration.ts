import 'server-only'
import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'
import {
  consumePasskeyChallenge,
  issuePasskeyChallenge,
  passkeyAlgorithms,
  type RegistrationAnswer,
  readClientData,
  relyingParty,
} from './passkey-challenges.ts'

/** The owner gives a passkey its name. */
export const PasskeyNameSchema = z
  .string('Give it a name.')
  .trim()
  .min(1, 'Give it a name, such as “Work laptop”.')
  .max(60, 'At most 60 characters.')
  .regex(/^\P{Cc}*$/u, 'Only letters and signs that can be printed.')

/** A passkey is made for a member, or for somebody who becomes one by a link; their id is chosen before. */
interface PasskeyOwner {
  readonly memberId: string
  /** The device shows an e-mail address or the name beside the passkey. */
  readonly label: string
  readonly name: string
}

/** The browser gets `PublicKeyCredentialCreationOptions` as JSON. */
export type RegistrationOptions = Awaited<ReturnType<typeof generateRegistrationOptions>>

/** The browser begins to make a passkey. A device that has one of this member makes no second. Throws `Refused`. */
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
    // The device must know the owner, because nobody types a name at the sign-in.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

const limited = limitedLog(logOf('passkeys'))

/** The passkey was made just now for this owner. */
interface NewPasskey {
  readonly memberId: string
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: readonly string[]
  readonly backedUp: boolean
}

/**
 * The new passkey must be made at this origin, for a challenge of this browser, by a device that verified the
 * person. Throws `Refused`.
 */
export async function verifyRegistration(answer: RegistrationAnswer, browserId: string): Promise<NewPasskey> {
  const party = relyingParty()
  const said = readClientData(answer.response.clientDataJSON)
  if (!said) throw refused('passkey-refused')
  if (said.origin !== party.origin) throw refused('passkey-other-origin')
  const consumed = await consumePasskeyChallenge('register', said.challenge, browserId, new Date())
  if (consumed.kind === 'refused') throw refused(consumed.why)
  if (consumed.memberId === null) throw refused('passkey-refused')
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...answer, response: { ...answer.response, transports: [...answer.response.transports] } },
    expectedChallenge: said.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: passkeyAlgorithms,
  }).catch((error: unknown) => {
    limited.info(causeOf(error), { err: error }, 'A new passkey was refused')
    throw refused('passkey-refused')
  })
  if (!registrationInfo) throw refused('passkey-refused')
  const { credential, credentialBackedUp, userVerified } = registrationInfo
  if (!userVerified) throw refused('passkey-unverified')
  return {
    memberId: consumed.memberId,
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: answer.response.transports,
    backedUp: credentialBackedUp,
  }
}

/** The new passkey is stored. Throws `Refused` when somebody has it already. */
export async function insertPasskey(tx: Transaction, made: NewPasskey, name: string): Promise<string> {
  const { memberId, credentialId, publicKey, counter, transports, backedUp } = made
  const id = uuidv7()
  const values = [id, memberId, credentialId, Buffer.from(publicKey), counter, transports, name, backedUp]
  const { rowCount } = await tx.query(INSERT, values)
  if (rowCount !== 1) throw new Refused('passkey-known')
  return id
}

const INSERT = `
  INSERT INTO passkey (id, member_id, credential_id, public_key, counter, transports, name, backed_up)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (credential_id) DO NOTHING`

const refused = (why: SignInRefusal) => new Refused(why)
