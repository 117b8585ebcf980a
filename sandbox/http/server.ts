import http from 'node:http'
import type { Duplex } from 'node:stream'
import { badRequest, type errorBody, notFound, Refusal } from '../service/refusal.ts'

/**
 * A server that answers what never becomes a request as well, with the service's error body: broken HTTP, headers beyond
 * 16 KiB, a sender that takes longer than `requestTimeoutMs` for its request.
 */
export function createServer(
  requestTimeoutMs: number,
  handle: http.RequestListener,
  note: NoteRefusal,
): http.Server {
  const answering = new WeakMap<Duplex, http.ServerResponse>()
  const server = http.createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 1_000) / 2,
    // The handler refuses a request without Host, with a body.
    requireHostHeader: false,
  })
  server.on('request', (request, response) => {
    answering.set(request.socket, response)
    for (const [name, value] of Object.entries(everyAnswer)) response.setHeader(name, value)
    handle(request, response)
  })
  server.on('checkExpectation', ({ method = '-', url = '-' }, response) =>
    refuse(response, unmetExpectation, note(unmetExpectation, { method, path: url.replace(/\?.*/s, '') })),
  )
  server.on('connect', (_request, socket) => hangUp(socket, notFound('CONNECT is not answered'), note))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || answering.get(socket)?.headersSent) socket.destroy()
    else hangUp(socket, brokenRequests.get(error.code ?? '') ?? notHttp, note)
  })
  return server
}

/** Stands in every answer; a page of the console has a policy of its own. */
export const everyAnswer = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Not no-referrer: with that a form would send `Origin: null`, which is refused like another site's.
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/** Notes a refusal, and answers the body to refuse with. */
export type NoteRefusal = (
  refusal: Refusal,
  request: { readonly method: string; readonly path: string },
) => ReturnType<typeof errorBody>

/** Stands for a request that cannot be read. */
export const noRequest = { method: '-', path: '-' }

/** Answers with a refusal. */
export function refuse(
  response: http.ServerResponse,
  refusal: Refusal,
  errorBodyOfIt: ReturnType<typeof errorBody>,
) {
  const body = JSON.stringify(errorBodyOfIt)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  response.writeHead(refusal.status, { ...everyAnswer, ...refusal.headers, ...headers }).end(body)
}

/** Writes a refusal where there is no response to write it with, and closes the connection. */
function hangUp(socket: Duplex, refusal: Refusal, note: NoteRefusal) {
  if (!socket.writable) return
  const body = JSON.stringify(note(refusal, noRequest))
  const head = [
    `HTTP/1.1 ${refusal.status} ${http.STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(everyAnswer).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Keeps reading for a moment: resetting the connection at once could discard the answer.
  socket.resume()
  setTimeout(() => socket.destroy(), 500).unref()
}

const notHttp = badRequest('The request is not valid HTTP')
const unmetExpectation = new Refusal(417, 'ExpectationFailedError', 'Expect may only be 100-continue')

/** What Node reports of a request that it gave up. */
const brokenRequests = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    new Refusal(408, 'RequestTimeoutError', 'The request took too long to arrive'),
  ],
  [
    'HPE_HEADER_OVERFLOW',
    new Refusal(431, 'HeadersTooLargeError', 'Address and headers are larger than 16 KiB'),
  ],
])
