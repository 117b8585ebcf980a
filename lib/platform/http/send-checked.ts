import 'server-only'
import type http from 'node:http'
import { AddressRefused, findPublicAddresses, type Resolve } from '../addresses/public-address.ts'

/** A request to an address that a person gave. */
export interface CheckedRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** This machine itself may be called. */
  readonly loopback: boolean
  readonly resolve?: Resolve
  /** The request is given up after this many milliseconds without the head of an answer. */
  readonly timeoutMs: number
  /** The promise is awaited after the address was checked and before anything is sent. If it rejects, nothing is sent. */
  readonly beforeSending?: () => Promise<void>
  /** The function is called when the connection is open. From then on the request may arrive. */
  readonly onConnected?: () => void
}

/**
 * `sendChecked` sends a request and returns the status of its answer as soon as that came, whatever comes of its body. The host is resolved and checked each time, the
 * connection goes to the first checked address that accepts it, and no redirect is followed. It throws when no answer came.
 */
export async function sendChecked(
  { url, method, headers, body, loopback, resolve, timeoutMs, beforeSending, onConnected }: CheckedRequest,
  stopped?: AbortSignal,
): Promise<number> {
  const inTime = AbortSignal.timeout(timeoutMs)
  const signal = stopped ? AbortSignal.any([inTime, stopped]) : inTime
  const checked = await Promise.race([
    findPublicAddresses(url.hostname, { loopback, ...(resolve ? { resolve } : {}) }),
    rejectOnAbort(signal),
  ])
  // Most programs that know this function send nothing, and these modules take long to load.
  const { request, Agent } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  await beforeSending?.()
  signal.throwIfAborted()
  return new Promise((done, fail) => {
    const asked = request(url, {
      method,
      agent: new Agent({
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: Math.max(leastAttemptMs, Math.ceil(timeoutMs / 2 / checked.length)),
      }),
      lookup: (_host, options, answer) => {
        const [first] = checked
        if (options.all) answer(null, [...checked])
        else answer(null, first?.address ?? '', first?.family)
      },
      headers: { ...headers, 'content-length': body.byteLength },
    })
    const giveUp = () => asked.destroy(signal.reason)
    signal.addEventListener('abort', giveUp)
    asked.on('error', fail)
    asked.on('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => onConnected?.())
    })
    // Node ends a request without an error when nobody listens for a change of protocol.
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      done(response.statusCode ?? 0)
    })
    asked.on('close', () => {
      signal.removeEventListener('abort', giveUp)
      fail(new Error('closed without an answer'))
    })
    asked.on('response', (response) => {
      signal.removeEventListener('abort', giveUp)
      done(response.statusCode ?? 0)
      drain(asked, response)
    })
    asked.end(body)
  })
}

/**
 * Addresses are tried one after the other, alternating between the families. Each but the last gets an equal part of half the
 * time, and at least this many milliseconds.
 */
const leastAttemptMs = 250

/** A DNS lookup cannot be cancelled in any other way. */
const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** The body of an answer is read up to this many bytes and milliseconds, so that the receiver can finish it, and ignored. */
const [mostBytes, mostMs] = [64 * 1024, 1_000]

function drain(asked: http.ClientRequest, response: http.IncomingMessage) {
  // A receiver that does not read would keep the connection open after its answer.
  const timer = setTimeout(() => asked.destroy(), mostMs)
  asked.on('close', () => clearTimeout(timer))
  // The status counts, however its body ends.
  response.on('error', () => undefined)
  let read = 0
  response.on('data', (chunk: Buffer) => {
    read += chunk.byteLength
    if (read > mostBytes) response.destroy()
  })
}

/** The messages are a closed set, because an error's own text could contain anything. */
export function failureMessage(error: unknown): string {
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
