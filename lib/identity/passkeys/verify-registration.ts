import 'server-only'
import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { uuidv7 } from 'uuidv7'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import type { SignInRefusal } from '../rules/sign-in-refusal.ts'
import { type RegistrationAnswer, readClientData } from './passkey-answers.ts'
import { consumePasskeyChallenge } from './passkey-challenges.ts'
import { passkeyAlgorithms, relyingParty } from './relying-party.ts'

const limited = limitedLog(logOf('passkeys'))

/** A passkey that was made just now, and for whom. */
export interface NewPasskey {
  readonly memberId: string
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: readonly string[]
  readonly backedUp: boolean
}

/** Judges what the browser made: at this origin, for a challenge of this browser, by a device that verified the person. Throws `Refused`. */
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

/** Keeps a new passkey. Throws `Refused` when somebody has it already. */
export async function insertPasskey(tx: Transaction, made: NewPasskey, name: string): Promise<string> {
  const { memberId, credentialId, publicKey, counter, transports, backedUp } = made
  const id = uuidv7()
  const values = [id, memberId, credentialId, Buffer.from(publicKey), counter, transports, name, backedUp]
  const { rowCount } = await tx.query(INSERT, values)
  if (rowCount !== 1) throw new Refused(knownAlready)
  return id
}

const INSERT = `
  INSERT INTO passkey (id, member_id, credential_id, public_key, counter, transports, name, backed_up)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (credential_id) DO NOTHING`

const refused = (why: SignInRefusal) => new Refused(signInMessages[why])

const knownAlready = {
  title: 'This passkey is known here already.',
  next: 'Nothing was added. Choose another device, or remove the passkey from the list first.',
}
