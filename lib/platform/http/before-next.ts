import 'server-only'
import http from 'node:http'
import type { Duplex } from 'node:stream'
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { countPageAnswer } from '../metrics.ts'
import { findAddress, unknownAddress } from './find-address.ts'
import { markOrigin, namePublicHost } from './own-origin.ts'
import { answerBrokenHttp, type BrokenHttp, methodsOf, refusalOfHead } from './refusal-of-request.ts'
import { drain, drainMs, holdBody, isActionBody, limitOfBody, refusalOfBody } from './request-bodies.ts'
import { answerHeaders, newNonce, pageHeaders } from './security-headers.ts'

const limited = limitedLog(logOf('http'))

/** The work belongs to one request, so each line that it logs has the id of the request. */
export type Within = (work: () => void) => void

interface PassOptions {
  readonly within: Within
  /** Next's own handler. */
  readonly handle: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>
  /** The paths of the files in `public`. */
  readonly files: ReadonlySet<string>
}

/** Headers and paths become what Next can trust, and what no page sends is refused before Next sees it. */
export function passToNext(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { within, handle, files }: PassOptions,
) {
  countPageAnswer(response)
  const nonce = newNonce()
  const headers = pageHeaders(nonce)
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  const methods = methodsOf(pathOf(request), (one) => files.has(one))
  const allow = { allow: methods.join(', ') }
  if (!methods.includes(request.method ?? '')) return refuse(response, 405, allow)
  if (request.method === 'OPTIONS') {
    drain(response)
    return void response.writeHead(204, { ...answerHeaders(), ...allow }).end()
  }
  const refused = refusalOf(request)
  if (refused !== null) return refuse(response, refused)
  sayWhereFrom(request)
  namePublicHost(request.headers)
  if (request.method === 'POST') markOrigin(request.headers)
  // Next reads the nonce for its own scripts from this header.
  request.headers['content-security-policy'] = headers['content-security-policy']
  takePathAsItStands(request)
  // Next answers 500 when the conditions on a file are not met. A server may ignore these conditions (RFC 9110 §13,
  // §14.2).
  for (const name of ['range', 'if-match', 'if-unmodified-since'] as const) delete request.headers[name]
  const answerPage = () => within(() => void handle(request, response))
  const limit = limitOfBody(request.method, pathOf(request))
  if (limit === null) {
    drain(response)
    return answerPage()
  }
  holdBody(request, limit, {
    whole: (body) => (isReadable(request, body) ? answerPage() : within(() => refuse(response, 400))),
    tooLarge: () => within(() => refuse(response, 413)),
  })
}

/** The header then holds the caller's address as the server found it, and nothing that the caller could have invented. */
function sayWhereFrom(request: http.IncomingMessage) {
  const given = request.headers['x-forwarded-for']
  const address = findAddress(request.socket.remoteAddress, typeof given === 'string' ? given : null)
  request.headers['x-forwarded-for'] = address ?? unknownAddress
}

/** The result is why Next is not asked, or null when Next is asked. */
function refusalOf(request: http.IncomingMessage) {
  // Some proxies remove a header by making it empty.
  if (request.headers.origin === '') delete request.headers.origin
  const refused = refusalOfHead(request) ?? refusalOfBody(request, pathOf(request))
  if (refused !== null) return refused
  return isRouterState(request.headers['next-router-state-tree']) ? null : 400
}

function isRouterState(given: string | string[] | undefined): boolean {
  try {
    parseAndValidateFlightRouterState(given)
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

/** Next can read the body of any request that is no call of an action. */
const isReadable = ({ method, headers }: http.IncomingMessage, body: Buffer) =>
  method !== 'POST' || headers['next-action'] === undefined || isActionBody(body, headers['content-type'])

/** The connection stays open, see `drain`. */
export function refuse(
  response: http.ServerResponse,
  status: keyof typeof refusals,
  more: Record<string, string> = {},
) {
  limited.info(String(status), { status }, 'A request was refused before anything was done')
  // A page of another version sent this action. Next's own header makes the page offer a reload.
  const isAction = status === 400 && response.req.headers['next-action'] !== undefined
  const older = isAction ? { 'x-nextjs-action-not-found': '1' } : {}
  const headers = { ...answerHeaders(), 'content-type': 'text/plain; charset=utf-8', ...older, ...more }
  drain(response)
  response.writeHead(status, headers).end(`${refusals[status]} Nothing was changed.`)
}

const refusals = {
  404: 'This server has another ROLE and answers nothing at this address.',
  400: 'This request is written in a way that no page of ours writes it. If it came from one, a proxy in between changed it.',
  405: 'Nothing here has this method.',
  413: 'A form has at most 64 KB.',
  417: 'Nothing but 100-continue can be expected here.',
}

/** The path leaves out the query and the target of a `/go/` link, because both may hold what a person searched for. */
export function pathOf(request: http.IncomingMessage): string {
  const path = (request.url ?? '').split('?', 1)[0]?.slice(0, 200) ?? ''
  return path.startsWith('/go/') ? '/go/…' : path
}

/** A path with an invalid `%` is as good as any other, but Next would answer it with 500. */
function takePathAsItStands(request: http.IncomingMessage) {
  const [path = '', ...query] = (request.url ?? '').split('?')
  try {
    decodeURIComponent(path)
  } catch {
    request.url = [path.replaceAll('%', '%25'), ...query].join('?')
  }
}

/**
 * Broken HTTP never becomes a request, and neither do headers that are too large or too slow. They are answered
 * here.
 */
export function refuseBrokenHttp(error: NodeJS.ErrnoException & BrokenHttp, socket: Duplex) {
  // Every further piece is broken too. The server reads and drops it, because the answer would be lost otherwise.
  if (answered.has(socket) && error.code !== 'ECONNRESET') return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  endWith(socket, answerBrokenHttp(error))
}

/** The set holds connections that end with an answer to broken HTTP. */
const answered = new WeakSet<Duplex>()

export function endWith(socket: Duplex, { status, headers, body }: ReturnType<typeof answerBrokenHttp>) {
  answered.add(socket)
  const length = { connection: 'close', 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ ...answerHeaders(), ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.end([`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  const late = setTimeout(() => socket.destroy(), drainMs).unref()
  socket.once('close', () => clearTimeout(late))
}
