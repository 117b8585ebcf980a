import 'server-only'
import http from 'node:http'
import https from 'node:https'
import { AddressRefused, findPublicAddress, type Resolve } from '#lib/platform/addresses/public-address.ts'

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
  const inTime = AbortSignal.timeout(timeoutMs)
  const signal = stopped ? AbortSignal.any([inTime, stopped]) : inTime
  const checked = await Promise.race([
    findPublicAddress(url.hostname, { loopback, ...(resolve ? { resolve } : {}) }),
    rejectOnAbort(signal),
  ])
  return new Promise((done, fail) => {
    const asked = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      agent: false,
      signal,
      lookup: (_host, options, answer) => {
        if (options.all) answer(null, [checked])
        else answer(null, checked.address, checked.family)
      },
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `API-Key ${secret}`,
        'content-length': body.byteLength,
      },
    })
    asked.on('error', fail)
    asked.on('response', (response) => {
      const status = response.statusCode ?? 0
      response.on('error', fail)
      drain(response, () => done({ status, error: statusMessage(status) }))
    })
    asked.end(body)
  })
}

/** A DNS lookup cannot be cancelled in any other way. */
const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** The answer is read up to this many bytes before the connection is closed. Its content is ignored. */
const maxAnswerBytes = 64 * 1024

function drain(response: http.IncomingMessage, done: () => void) {
  let read = 0
  response.on('end', done)
  response.on('data', (chunk: Buffer) => {
    read += chunk.byteLength
    if (read <= maxAnswerBytes) return
    done()
    response.destroy()
  })
}

function statusMessage(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'Answered with a redirect, which is not followed'
  if (status === 401 || status === 403) return 'Refused: the secret is not the one that is expected there'
  return status >= 500 ? 'The receiver failed' : 'The receiver did not take it'
}

/** The messages are a closed set, because an error's own text could contain anything. */
function failureMessage(error: unknown): string {
  if (error instanceof AddressRefused) {
    return error.why === 'internal'
      ? 'Not sent: the address leads to an internal network'
      : 'Not sent: the host has no address'
  }
  if (!(error instanceof Error)) return 'No answer'
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'No answer in time'
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ECONNREFUSED') return 'Nobody listens at this address'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'The connection was cut'
  if (/^E(NETUNREACH|HOSTUNREACH|TIMEDOUT|ADDRNOTAVAIL)$/.test(code)) return 'The address cannot be reached'
  if (code === 'CERT_HAS_EXPIRED') return 'Not sent: its certificate has expired'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Not sent: its certificate is for another host'
  if (/CERT|SIGNATURE/.test(code)) return 'Not sent: nobody trusted here vouches for its certificate'
  if (/SSL|TLS|EPROTO/.test(code)) return 'Not sent: it does not speak HTTPS as it should'
  return code.startsWith('HPE_') ? 'Its answer is no HTTP' : 'No answer'
}
