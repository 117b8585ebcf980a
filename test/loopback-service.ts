import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certified } from './certificates.ts'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void

/**
 * A real HTTP server on loopback under `/onboarding` gives the prepared answers and records its requests. With a certificate
 * it speaks HTTPS.
 */
export async function startLoopbackService(certified?: Certified) {
  const seen: SeenRequest[] = []
  let answers: Answer[] = []

  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const asked = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    seen.push(asked)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer === undefined) response.destroy()
    else answer(response, asked)
  }
  const server = certified ? https.createServer(certified, onRequest) : createServer(onRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    baseUrl: `${certified ? 'https' : 'http'}://127.0.0.1:${port}/onboarding`,
    seen,
    /** The answers are given in this order, and the last one repeats. */
    answers(...next: Answer[]) {
      answers = next
      seen.length = 0
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type LoopbackService = Awaited<ReturnType<typeof startLoopbackService>>

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }

export const raw =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers)
    response.end(body)
  }

/** The server takes the request and never answers. */
export const hang: Answer = () => undefined

/** The server breaks the connection without an answer. */
export const reset: Answer = (response) => {
  response.socket?.resetAndDestroy()
}

/** The server starts an answer, then sends one byte every 20 ms without end. */
export const drip =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  }

/** The server sends an answer as fast as it is read, without end. */
export const flood =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status)
    const chunk = Buffer.alloc(16 * 1024)
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  }

/** The server starts an answer and breaks off in the middle. */
export const breakOff =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"uuid":', () => response.socket?.resetAndDestroy())
  }
