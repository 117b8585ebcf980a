import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** What a form, an action or a question to a route may have, in bytes. */
export const mostOfBody = 64 * 1024

/** The one route that takes files; it reads them piece by piece, up to a limit of its own. */
const ofFiles = 'POST /api/users/import'

/** The most bytes of a body that Next is given; null where a route counts them itself. */
export const limitOfBody = (method: string | undefined, path: string): number | null =>
  `${method} ${path}` === ofFiles ? null : mostOfBody

type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/**
 * Why a request for a path that Next answers is refused before its body arrives, in the process that takes deliveries;
 * null for what may come. Deliveries are none of them. What comes in pieces, as some proxies send everything, is counted by
 * `holdBody`.
 */
export function refusalOfBody({ method, headers }: Asked, path: string): 413 | null {
  const limit = limitOfBody(method, path)
  return limit !== null && Number(headers['content-length'] ?? 0) > limit ? 413 : null
}

/** The text of a body, counted as it comes, whatever stands in front of its route; null when it has more than 64 KB. */
export async function readText({ body }: Request): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > mostOfBody) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/**
 * Waits for the whole body of a request, counting it, before anybody reads any of it: then it is read from memory, and has its
 * length in the head, however it came. A body that breaks off calls nobody.
 * @param limit in bytes
 */
export function holdBody(
  request: IncomingMessage,
  limit: number,
  { whole, tooLarge }: { readonly whole: (body: Buffer) => void; readonly tooLarge: () => void },
): void {
  const push = request.push.bind(request)
  const held: Buffer[] = []
  let size = 0
  request.push = (chunk: Buffer | null) => {
    size += chunk?.length ?? 0
    if (size > limit) {
      // What else comes is read by nobody, and Node forgets it.
      request.push = push
      tooLarge()
      return true
    }
    if (chunk !== null) {
      held.push(chunk)
      return true
    }
    request.push = push
    const body = Buffer.concat(held)
    delete request.headers['transfer-encoding']
    if (size > 0 || request.method === 'POST') request.headers['content-length'] = String(size)
    if (size > 0) push(body)
    push(null)
    whole(body)
    return true
  }
}

/** Levels of an action's arguments: a form has two. */
const deepest = 16
/** An action has at most two, a state and a form. */
const mostArguments = 4

/**
 * Answers whether a body holds the arguments of an action as our pages write them: JSON, or a form with its fields. Next would answer
 * anything else with 500, after it has followed whatever references a caller made up.
 */
export async function isActionBody(body: Buffer, contentType = ''): Promise<boolean> {
  if (!contentType.toLowerCase().startsWith('multipart/')) return isArguments(body.toString(), isPlainText)
  const form = await formOf(body, contentType)
  const root = form?.get('0')
  if (!form || typeof root !== 'string' || form.getAll('0').length !== 1) return false
  for (const [name, value] of form)
    if (name !== '0' && (typeof value !== 'string' || !fieldOfForm.test(name))) return false
  return isArguments(root, (text) => isPlainText(text) || reference.test(text))
}

/** React names a field by the number of its form, and says in the arguments where that form stands. */
const fieldOfForm = /^_[1-9a-f][0-9a-f]?_/
const reference = /^\$K[1-9a-f][0-9a-f]?$/

/** React puts a second `$` before a text that begins with one. */
const isPlainText = (text: string) =>
  !text.startsWith('$') ||
  text.startsWith('$$') ||
  text === '$undefined' ||
  /^\$D\d{4}-[\d:.TZ-]+$/.test(text)

async function formOf(body: Buffer, contentType: string): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function isArguments(text: string, isAllowed: (text: string) => boolean): boolean {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return false
  }
  if (!Array.isArray(given) || given.length > mostArguments) return false
  // Level by level, since a body can be deeper than the stack.
  let level: unknown[] = given
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false
    if (!level.every((value) => typeof value !== 'string' || isAllowed(value))) return false
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return true
}

/** Milliseconds for which a body may still come after its answer. */
export const drainMs = 30_000

/**
 * Keeps the connection of an answer whose body still comes, where that is to be closed too: only what we write ends at once. Node
 * reads what comes and forgets it. A connection that closes earlier is reset, and the answer may be lost (RFC 9112 §9.6).
 */
export function drain(response: ServerResponse): void {
  const { req: request } = response
  if (request.complete) return
  const { socket } = request
  const close = socket.destroySoon.bind(socket)
  const asked = new AbortController()
  socket.destroySoon = () => {
    asked.abort()
    socket.end()
  }
  response.once('finish', () => {
    const late = setTimeout(() => socket.destroy(), drainMs).unref()
    const end = () => {
      clearTimeout(late)
      socket.destroySoon = close
      if (asked.signal.aborted) close()
    }
    if (request.complete) end()
    else request.once('close', end)
  })
}
