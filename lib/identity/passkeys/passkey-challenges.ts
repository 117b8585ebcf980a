import 'server-only'
import net from 'node:net'
import { z } from 'zod'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { Refused } from '#lib/platform/refusals.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'
import { digestToken, randomToken } from '../sessions/token.ts'

/** Where passkeys of this dashboard are good: its public address, and the host that they are bound to. */
interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/** Ed25519, ECDSA with P-256 and RSA, as COSE numbers them: what devices have, the best first. */
export const passkeyAlgorithms = [-8, -7, -257]

/** Throws `Refused` where browsers know no passkeys: at a bare IP address, or without HTTPS outside this machine. */
export function relyingParty(): RelyingParty {
  if (!passkeysWork()) throw new Refused(noPasskeysHere)
  const { hostname, origin } = env().publicUrl
  return { id: hostname, origin }
}

/** Whether browsers offer passkeys at the public address. */
export function passkeysWork(): boolean {
  const { protocol, hostname } = env().publicUrl
  if (net.isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
}

const noPasskeysHere = {
  title: 'There are no passkeys at this address.',
  next: 'Browsers offer them where the dashboard has a host name and HTTPS. Whoever runs it sets PUBLIC_URL.',
}

/** What a passkey's answer is good for. */
export type PasskeyPurpose = 'register' | 'sign-in' | 'confirm'

/** Minutes that a passkey has to answer. */
const lifetimeMinutes = 5

/** Makes a challenge for this browser and purpose; of a known member, for theirs alone. */
export async function issuePasskeyChallenge(
  purpose: PasskeyPurpose,
  browserId: string,
  memberId: string | null,
): Promise<string> {
  const challenge = randomToken()
  const expiresAt = new Date(Date.now() + lifetimeMinutes * 60_000)
  await prisma().passkeyChallenge.create({
    data: { challenge, browserDigest: digestToken(browserId), purpose, memberId, expiresAt },
  })
  return challenge
}

type ConsumedChallenge =
  | { readonly kind: 'consumed'; readonly memberId: string | null }
  | { readonly kind: 'refused'; readonly why: SignInRefusal }

/** Marks a challenge as used, with one atomic UPDATE: of several answers at once one is taken. */
export async function consumePasskeyChallenge(
  purpose: PasskeyPurpose,
  challenge: string,
  browserId: string | null,
  now: Date,
): Promise<ConsumedChallenge> {
  if (browserId === null) return { kind: 'refused', why: 'passkey-other-browser' }
  const exactly = { challenge, purpose, browserDigest: digestToken(browserId) }
  const [row] = await prisma().passkeyChallenge.updateManyAndReturn({
    where: { ...exactly, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
  })
  if (row) return { kind: 'consumed', memberId: row.memberId }
  const issued = await prisma().passkeyChallenge.findFirst({ where: exactly })
  if (!issued) return { kind: 'refused', why: 'passkey-other-browser' }
  return { kind: 'refused', why: issued.usedAt ? 'passkey-used' : 'passkey-expired' }
}

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[A-Za-z0-9_-]*$/)

const shared = {
  id: base64url(2_000),
  rawId: base64url(2_000),
  type: z.literal('public-key'),
  // Nothing here decides by what extensions say.
  clientExtensionResults: z.unknown().transform(() => ({})),
}

/** The text of a form's field as JSON; undefined, which no schema takes, where it is none. */
const jsonSchema = z
  .string()
  .max(20_000)
  .transform((text): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  })

/** What the browser answers after a passkey was made. */
export const RegistrationAnswerSchema = jsonSchema.pipe(
  z.object({
    ...shared,
    response: z
      .object({
        clientDataJSON: base64url(4_000),
        attestationObject: base64url(15_000),
        transports: z.array(z.string().max(30)).max(10).default([]),
      })
      .strip(),
  }),
)

/** What the browser answers after a passkey has signed. */
export const SignatureAnswerSchema = jsonSchema.pipe(
  z.object({
    ...shared,
    response: z
      .object({
        clientDataJSON: base64url(4_000),
        authenticatorData: base64url(4_000),
        signature: base64url(4_000),
      })
      .strip(),
  }),
)

export type RegistrationAnswer = z.output<typeof RegistrationAnswerSchema>
export type SignatureAnswer = z.output<typeof SignatureAnswerSchema>

const ClientDataSchema = z.object({ challenge: z.string(), origin: z.string() })

/** Which challenge an answer says it is for, and where it was made; null for nonsense. */
export function readClientData(clientDataJson: string): z.output<typeof ClientDataSchema> | null {
  const text = Buffer.from(clientDataJson, 'base64url').toString()
  const read = jsonSchema.pipe(ClientDataSchema).safeParse(text)
  return read.success ? read.data : null
}
