import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { badRequest, errorBody, notFound, Refusal } from '../service/refusal.ts'

interface HttpListener {
  readonly port: number
  /** Requests get 503 until this is called. `note` writes the error body for what never becomes a request. */
  answerWith(fetch: Fetch, note?: NoteRefusal): void
  /** The server takes no new request, and gives those in progress up to 2 s. */
  close(): Promise<void>
}

type Fetch = Parameters<typeof getRequestListener>[0]

/**
 * Without `address` the server listens on this machine's loopback only: IPv4 and, where it exists, IPv6. `listen` throws
 * when the port is taken.
 */
export async function listen(
  port: number,
  requestTimeoutMs: number,
  address?: string,
): Promise<HttpListener> {
  let handler: http.RequestListener = (_request, response) =>
    refuse(response, notReady, errorBody(notReady, randomUUID()))
  let note: NoteRefusal = (refusal) => errorBody(refusal, randomUUID())
  const create = () =>
    createServer(
      requestTimeoutMs,
      (request, response) => handler(request, response),
      (...refused) => note(...refused),
    )
  const first = create()
  const bound = await bind(first, address ?? '127.0.0.1', port)
  const servers = [first]
  if (!address) {
    const second = create()
    await bind(second, '::1', bound).then(
      () => servers.push(second),
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') return
        first.close()
        throw error
      },
    )
  }
  return {
    port: bound,
    answerWith(fetch, noteRefused = note) {
      note = noteRefused
      handler = getRequestListener(fetch, { errorHandler: (error) => refuseUnreadable(error, note) })
    },
    async close() {
      await Promise.all(servers.map(close))
    },
  }
}

const notReady = new Refusal(503, 'NotReadyError', 'The sandbox is starting', { 'Retry-After': '1' })

/** The request has no usable address: its Host is missing or invalid, or its path is. */
function refuseUnreadable(error: unknown, note: NoteRefusal) {
  const refusal =
    error instanceof RequestError
      ? badRequest('The request has no valid Host and path')
      : new Refusal(500, 'InternalServerError', 'Something went wrong')
  return Response.json(note(refusal, noRequest), { status: refusal.status })
}

function bind(server: http.Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), 2_000)
    server.close(() => {
      clearTimeout(impatient)
      resolve()
    })
  })
}

/**
 * The server also answers what never becomes a request, with the service's error body: broken HTTP, headers beyond 16 KiB,
 * and a request that takes longer than `requestTimeoutMs`.
 */
function createServer(
  requestTimeoutMs: number,
  handle: http.RequestListener,
  note: NoteRefusal,
): http.Server {
  const answering = new WeakMap<Duplex, http.ServerResponse>()
  const server = http.createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 1_000) / 2,
    // The handler itself refuses a request without Host, because its refusal has a body.
    requireHostHeader: false,
  })
  server.on('request', (request, response) => {
    answering.set(request.socket, response)
    // The refusal of whatever comes after an answer is an answer of its own.
    response.on('close', () => {
      if (answering.get(request.socket) === response) answering.delete(request.socket)
    })
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

/** A client or a proxy that keeps connections closes an idle one first. What it sends while the server closes is lost. */
const idleMs = 620_000

/** Every answer has these headers. A page of the console replaces the policy with its own. */
const everyAnswer = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // With no-referrer a form would send `Origin: null`, which is refused like another site's.
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/** The callback notes a refusal, and answers the body to refuse with. */
type NoteRefusal = (
  refusal: Refusal,
  request: { readonly method: string; readonly path: string },
) => ReturnType<typeof errorBody>

/** These values replace those of a request that cannot be read. */
const noRequest = { method: '-', path: '-' }

function refuse(
  response: http.ServerResponse,
  refusal: Refusal,
  errorBodyOfIt: ReturnType<typeof errorBody>,
) {
  const body = JSON.stringify(errorBodyOfIt)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  response.writeHead(refusal.status, { ...everyAnswer, ...refusal.headers, ...headers }).end(body)
}

/** The refusal is written straight to the connection, which is then closed, because there is no response object. */
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
  // The socket keeps reading for a moment, because an immediate reset could discard the answer.
  socket.resume()
  setTimeout(() => socket.destroy(), 500).unref()
}

const notHttp = badRequest('The request is not valid HTTP')
const unmetExpectation = new Refusal(417, 'ExpectationFailedError', 'Expect may only be 100-continue')

/** Node reports these codes for requests that it gave up. */
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
