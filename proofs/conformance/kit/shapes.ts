import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { OperationOutcome } from './operations.ts'

// The schemas hold what the contract promises of bodies. Further fields are allowed.

/** §2.2 defines this. */
export const SessionSchema = z.looseObject({ service_session_id: z.string().min(1), user_uuid: z.guid() })

/** §2.3 defines this. */
export const EndpointSchema = z.looseObject({
  uuid: z.guid(),
  url: z.string(),
  status: z.enum(['active', 'disabled', 'auto_disabled']),
  description: z.string().nullish(),
  subscribed_events: z.array(z.string()).nullish(),
})

/** The create operation answers this body (§2.3, §4.2). */
export const CreatedEndpointSchema = EndpointSchema.extend({ signing_secret: z.string().min(1) })

/** The rotation answers this body (§4.2). */
export const RotatedSecretSchema = z.looseObject({ signing_secret: z.string().min(1) })

/** §2.4 defines this. */
export const EnvelopeSchema = z.strictObject({
  type: z.string(),
  subType: z.string(),
  uuid: z.string(),
  data: z.record(z.string(), z.unknown()),
})

export type Envelope = z.output<typeof EnvelopeSchema>

/** The list operation answers this body (§4.2). */
export const EndpointsSchema = z.array(EndpointSchema)

// ASSUMED: POST /user and GET /user name the user user_uuid, as everywhere in the contract, or uuid (§4.3).
export const NamedUserSchema = z
  .union([z.looseObject({ user_uuid: z.guid() }), z.looseObject({ uuid: z.guid() })])
  .transform((body) => String(body.user_uuid ?? body.uuid))

/** §4.3 defines this. */
export const ReadUserSchema = z.looseObject({ target_address: z.string() })

/** The result is the body of a success, read by its shape. */
export function bodyOf<Body>(shape: z.ZodType<Body>, outcome: OperationOutcome, what: string): Body {
  assertSuccess(outcome, what)
  const parsed = shape.safeParse(outcome.body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return assert.fail(`${what}: its body, at "${issue?.path.join('.')}": ${issue?.message}`)
}

export function assertSuccess({ status }: OperationOutcome, what: string) {
  const kind = status >= 200 && status < 300 ? 'success' : `${status}`
  assert.equal(kind, 'success', what)
}

export const assertStatus = ({ status }: OperationOutcome, wanted: number, what: string) =>
  assert.equal(status, wanted, what)

/** The contract does not show the status of this refusal. */
export function assertRefused({ status }: OperationOutcome, what: string) {
  const kind = status >= 400 && status < 500 ? 'a refusal (4xx)' : `${status}`
  assert.equal(kind, 'a refusal (4xx)', what)
}

/**
 * The caller and the user were accepted: the answer is a success, or a complaint about a body whose shape the contract does
 * not show.
 */
export function assertAccepted({ status }: OperationOutcome, what: string) {
  const kind = (status >= 200 && status < 300) || status === 400 || status === 422 ? 'accepted' : `${status}`
  assert.equal(kind, 'accepted', what)
}

/** The lines of a sign-in message (§5.2) are texts, so that a check can make any of them wrong. */
export interface MessageParts {
  readonly domain: string
  readonly address: string
  readonly statement: string
  readonly uri: string
  readonly version: string
  readonly chainId: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime: string
}

/** With this message `address` may sign in at `now`. It was issued a minute ago and is valid for three hours. */
export function rightParts(baseUrl: string, address: string, now: Date): MessageParts {
  return {
    domain: new URL(baseUrl).host,
    address,
    statement: 'Sign in to check the contract.',
    uri: `${baseUrl}/auth/login`,
    version: '1',
    chainId: '137',
    nonce: newNonce(),
    issuedAt: after(now, -60),
    expirationTime: after(now, 3 * 3_600),
  }
}

/** The layout is that of §5.2. */
export const writeMessage = (parts: MessageParts) =>
  [
    `${parts.domain} wants you to sign in with your Ethereum account:`,
    parts.address,
    '',
    parts.statement,
    '',
    `URI: ${parts.uri}`,
    `Version: ${parts.version}`,
    `Chain ID: ${parts.chainId}`,
    `Nonce: ${parts.nonce}`,
    `Issued At: ${parts.issuedAt}`,
    `Expiration Time: ${parts.expirationTime}`,
  ].join('\n')

const newNonce = () => randomBytes(12).toString('hex')

/** The result is ISO 8601, `seconds` after `moment`. */
export const after = (moment: Date, seconds: number) =>
  new Date(moment.getTime() + seconds * 1_000).toISOString()
