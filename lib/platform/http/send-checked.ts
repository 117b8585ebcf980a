import 'server-only'
import http from 'node:http'
import https from 'node:https'
import { AddressRefused, findPublicAddress, type Resolve } from '../addresses/public-address.ts'

/** A request to an address that a person gave. */
export interface CheckedRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** This machine itself may be called. */
  readonly loopback: boolean
  readonly resolve?: Resolve
  /** The request is given up after this many milliseconds without an answer. */
  readonly timeoutMs: number
  /** The promise is awaited after the address was checked and before anything is sent. If it rejects, nothing is sent. */
  readonly beforeSending?: () => Promise<void>
  /** The function is called when the connection is open. From then on the request may arrive. */
  readonly onConnected?: () => void
}

/**
 * `sendChecked` sends a request and returns the status of its answer. The host is resolved and checked each time, the
 * connection goes to the checked address, and no redirect is followed. It throws when no answer came.
 */
export async function sendChecked(
  { url, method, headers, body, loopback, resolve, timeoutMs, beforeSending, onConnected }: CheckedRequest,
  stopped?: AbortSignal,
): Promise<number> {
  const inTime = AbortSignal.timeout(timeoutMs)
  const signal = stopped ? AbortSignal.any([inTime, stopped]) : inTime
  const checked = await Promise.race([
    findPublicAddress(url.hostname, { loopback, ...(resolve ? { resolve } : {}) }),
    rejectOnAbort(signal),
  ])
  await beforeSending?.()
  return new Promise((done, fail) => {
    const asked = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      agent: false,
      signal,
      lookup: (_host, options, answer) => {
        if (options.all) answer(null, [checked])
        else answer(null, checked.address, checked.family)
      },
      headers: { ...headers, 'content-length': body.byteLength },
    })
    asked.on('error', fail)
    asked.on('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => onConnected?.())
    })
    asked.on('response', (response) => {
      const status = response.statusCode ?? 0
      response.on('error', fail)
      drain(response, () => done(status))
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
