import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A form, an action or a query to a route may have this many bytes. */
export const mostOfBody = 64 * 1024

/** Only this route accepts files. It reads them in pieces, up to its own limit. */
const ofFiles = 'POST /api/users/import'

/** Next gets at most this many bytes of a body; null when a route counts them itself. */
export const limitOfBody = (method: string | undefined, path: string): number | null =>
  `${method} ${path}` === ofFiles ? null : mostOfBody

type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/**
 * `refusalOfBody` refuses a request for a path of Next before its body arrives; null when it may pass. Deliveries are not
 * checked here. `holdBody` counts a body in chunks, as some proxies send everything.
 */
export function refusalOfBody({ method, headers }: Asked, path: string): 413 | null {
  const limit = limitOfBody(method, path)
  return limit !== null && Number(headers['content-length'] ?? 0) > limit ? 413 : null
}

/** `readText` counts a body while it reads it, independently of other checks; null for more than 64 KB. */
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
 * `holdBody` waits for the whole body of a request and counts it before anybody reads it. The body is then read from memory,
 * and the head has its length. A body that ends early calls neither function.
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
      // Nobody reads the rest, and Node discards it.
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

/** An action's arguments have at most this depth. A form has two levels. */
const deepest = 16
/** An action has at most two arguments, a state and a form. The limit leaves some room. */
const mostArguments = 4

/**
 * `isActionBody` is true for a body with arguments of an action in the form that our pages write: JSON, or a form with its
 * fields. Next would answer anything else with 500, after following the references that a caller invented.
 */
export function isActionBody(body: Buffer, contentType = ''): boolean {
  if (!contentType.toLowerCase().startsWith('multipart/')) return isArguments(body.toString(), isPlainText)
  let root: string | null = null
  for (const part of partsOf(body, contentType)) {
    const [, name = '', text = ''] = partOfForm.exec(part) ?? []
    if (fieldOfForm.test(name)) continue
    if (name !== '0' || root !== null) return false
    root = Buffer.from(text, 'latin1').toString()
  }
  return root !== null && isArguments(root, (text) => isPlainText(text) || reference.test(text))
}

/**
 * The parts of a form have their own heads, and each byte is one character. There are none unless the form is written
 * exactly as browsers do: Next reads it again, and parsers differ in every other form.
 */
function partsOf(body: Buffer, contentType: string): readonly string[] {
  const [, boundary] = /^multipart\/form-data; ?boundary=([\w-]+)$/.exec(contentType) ?? []
  if (boundary === undefined) return []
  const [before, ...parts] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`)
  const end = parts.pop()
  return before === '' && (end === '--' || end === '--\r\n') ? parts : []
}

/** A browser writes `%22` for a quote in a name. Next answers a head of more than 16 KB with an error. */
const partOfForm = /^\r\nContent-Disposition: form-data; name="([ !#-[\]-~\x80-\xff]{1,1000})"\r\n\r\n(.*)$/s

/** React names a field by the number of its form, and the arguments refer to that form. */
const fieldOfForm = /^_[1-9a-f][0-9a-f]?_/
const reference = /^\$K[1-9a-f][0-9a-f]?$/

/** React puts a second `$` before a text that begins with one. */
const isPlainText = (text: string) =>
  !text.startsWith('$') ||
  text.startsWith('$$') ||
  text === '$undefined' ||
  /^\$D\d{4}-[\d:.TZ-]+$/.test(text)

function isArguments(text: string, isAllowed: (text: string) => boolean): boolean {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return false
  }
  if (!Array.isArray(given) || given.length > mostArguments) return false
  // The loop goes level by level, since a body can be deeper than the stack.
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

/** The rest of a body may arrive for this many milliseconds after its answer. */
export const drainMs = 30_000

/**
 * `drain` keeps the connection of an answer open while the rest of its body arrives, even if it should close: only our side
 * ends at once, and Node discards the rest. A connection that closes earlier is reset, and the answer may be lost (RFC 9112
 * §9.6).
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
