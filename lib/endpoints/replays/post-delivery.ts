import 'server-only'
import type { Resolve } from '#lib/platform/addresses/public-address.ts'
import { failureMessage, sendChecked } from '#lib/platform/http/send-checked.ts'

/** Deliveries are posted to this url and signed with this secret (§5.5). The secret is kept only in memory. */
export interface Target {
  readonly url: URL
  readonly secret: string
  /** This machine itself may be posted to. */
  readonly loopback: boolean
  readonly resolve?: Resolve
  /** A post is given up after this many milliseconds without an answer. */
  readonly timeoutMs?: number
}

/** `PostResult` is the outcome of one post. */
export interface PostResult {
  /** The status is null when no answer came. */
  readonly status: number | null
  /** The time runs until the answer, or until the post was given up, in ms. */
  readonly ms: number
  /** The error is null when the receiver answered with any 2xx. */
  readonly error: string | null
}

/** ASSUMED: a receiver answers within 10 s, as in the sandbox; the contract names no time-out (§6.7). */
const defaultTimeoutMs = 10_000

/**
 * One delivery is posted as the service would post it (§5.5). The host is resolved and checked each time, the
 * connection goes to the checked address, and no redirect is followed. When `stopped` is aborted the connection is
 * cut, and nobody knows whether the delivery arrived.
 */
export async function postDelivery(
  target: Target,
  body: Uint8Array,
  stopped?: AbortSignal,
): Promise<PostResult> {
  const start = performance.now()
  const answer = await request(target, body, stopped).catch((error: unknown) => ({
    status: null,
    error: failureMessage(error),
  }))
  return { ...answer, ms: Math.round(performance.now() - start) }
}

async function request(
  target: Target,
  body: Uint8Array,
  stopped?: AbortSignal,
): Promise<Omit<PostResult, 'ms'>> {
  const { url, secret, loopback, resolve, timeoutMs = defaultTimeoutMs } = target
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    authorization: `API-Key ${secret}`,
  }
  const given = { url, method: 'POST', headers, body, loopback, timeoutMs } as const
  const status = await sendChecked(resolve ? { ...given, resolve } : given, stopped)
  return { status, error: statusMessage(status) }
}

function statusMessage(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'Answered with a redirect, which is not followed'
  if (status === 401 || status === 403) return 'Refused: the secret is not the one that is expected there'
  return status >= 500 ? 'The receiver failed' : 'The receiver did not take it'
}
