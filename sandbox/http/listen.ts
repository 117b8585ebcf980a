import { randomUUID } from 'node:crypto'
import type http from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { badRequest, errorBody, Refusal } from '../service/refusal.ts'
import { createServer, type NoteRefusal, noRequest, refuse } from './server.ts'

export interface HttpListener {
  readonly port: number
  /**
   * Answers requests from now on; until then they get 503. `note` makes the body of what never becomes a request that
   * `fetch` gets.
   */
  answerWith(fetch: Fetch, note?: NoteRefusal): void
  /** Takes no new request, lets those under way finish for up to 2 s. */
  close(): Promise<void>
}

type Fetch = Parameters<typeof getRequestListener>[0]

/**
 * Listens on `address`; without one on this machine's own only, IPv4 and, where there is one, IPv6. Throws when the port
 * is taken.
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

/** A request that has no address: its Host is missing or none, or its path is no path. */
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
