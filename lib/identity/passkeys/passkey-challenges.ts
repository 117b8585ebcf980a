import 'server-only'
import net from 'node:net'
import { z } from 'zod'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { digestToken, randomToken } from '#lib/platform/keys/digests-and-seals.ts'
import { Refused } from '#lib/platform/refusals.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'

/** Passkeys of this dashboard are valid at its public address, and bound to that host. */
interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/** COSE numbers Ed25519, ECDSA with P-256 and RSA like this; devices have these, and the best comes first. */
export const passkeyAlgorithms = [-8, -7, -257]

/** Throws `Refused` at a bare IP address, or without HTTPS outside this machine: browsers offer no passkeys there. */
export function relyingParty(): RelyingParty {
  if (!passkeysWork()) throw new Refused('passkeys-impossible')
  const { hostname, origin } = env().publicUrl
  return { id: hostname, origin }
}

/** Browsers offer passkeys at the public address. */
export function passkeysWork(): boolean {
  const { protocol, hostname } = env().publicUrl
  if (net.isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** A passkey's answer is valid for one purpose. */
export type PasskeyPurpose = 'register' | 'sign-in' | 'confirm'

/** A passkey must answer within this many minutes. */
const lifetimeMinutes = 5

/** The challenge is for this browser and purpose; for a known member, only their passkeys may answer. */
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

/** One atomic UPDATE marks a challenge as used: of several answers at once, one is accepted. */
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
  // No decision here depends on extensions.
  clientExtensionResults: z.unknown().transform(() => ({})),
}

/** The text of a form's field is parsed as JSON; invalid JSON becomes undefined, which no schema accepts. */
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

/** The browser answers this after a passkey was made. */
export const RegistrationAnswerSchema = jsonSchema.pipe(
  z.object({
    ...shared,
    response: z
      .object({
        clientDataJSON: base64url(4_000),
        attestationObject: base64url(15_000),
        transports: z
          .array(
            z
              .string()
              .max(30)
              .regex(/^\P{Cc}*$/u),
          )
          .max(10)
          .default([]),
      })
      .strip(),
  }),
)

/** The browser answers this after a passkey has signed. */
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

const ClientDataSchema = z.object({ challenge: base64url(200), origin: z.string() })

/** The answer names its challenge and the origin where it was made; null for an unreadable one. */
export function readClientData(clientDataJson: string): z.output<typeof ClientDataSchema> | null {
  const text = Buffer.from(clientDataJson, 'base64url').toString()
  const read = jsonSchema.pipe(ClientDataSchema).safeParse(text)
  return read.success ? read.data : null
}
