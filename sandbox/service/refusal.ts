import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DatabaseError } from 'pg'
import type { BrokenRule } from '../state/refusals.ts'
import type { Sandbox } from '../state/sandbox.ts'

/** A refusal has a status (§7) and a message. `broken` tells more, to the developer only. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode
  readonly headers: Record<string, string>
  readonly broken: readonly BrokenRule[]

  constructor(
    status: ContentfulStatusCode,
    name: string,
    message: string,
    headers: Record<string, string> = {},
    broken: readonly BrokenRule[] = [],
  ) {
    super(message)
    this.status = status
    this.name = name
    this.headers = headers
    this.broken = broken
  }
}

export const badRequest = (message: string, ...broken: BrokenRule[]) =>
  new Refusal(400, 'BadRequestError', message, {}, broken)
export const unauthorized = (message: string, ...broken: BrokenRule[]) =>
  new Refusal(401, 'UnauthorizedError', message, {}, broken)
export const notFound = (message: string) => new Refusal(404, 'NotFoundError', message)
/** §7 */
export const userUnknown = () => notFound('No user has this user_uuid')

type Parts = Pick<Sandbox, 'clock' | 'ids' | 'log' | 'refusals'>

/** Any error becomes the service's error body, and is noted. Only an unexpected one is a 500. */
export async function answerError(error: Error, context: Context, parts: Parts) {
  const refusal = error instanceof Refusal ? error : await refusalOf(error, context)
  const body = noteRefusal(refusal, context.req, parts)
  if (refusal.status >= 500 && refusal !== error)
    parts.log.error({ err: error, error_id: body.error_id }, 'request failed')
  return context.json(body, refusal.status, refusal.headers)
}

/** A path may hold the key of a namespace, which no log and no list shows. */
export const withoutKey = (path: string) => path.replace(/(\/namespaces\/+)[^/]+/, '$1…')

/** The function notes a refused request, and answers the error body. */
export function noteRefusal(
  refusal: Refusal,
  { method, path }: { readonly method: string; readonly path: string },
  { clock, ids, refusals }: Parts,
) {
  const body = errorBody(refusal, ids.uuid('error'))
  const { status, name, broken } = refusal
  const { message, error_id } = body
  const at = clock.now().toISOString()
  refusals.note({
    at,
    method,
    path: withoutKey(path).slice(0, longestMessage),
    status,
    name,
    message,
    broken_rules: [...broken],
    error_id,
  })
  return body
}

/** ASSUMED: the error body's shape, from what is publicly seen of such services (§7 does not show it). */
export const errorBody = (refusal: Refusal, errorId: string) => ({
  message: refusal.message.slice(0, longestMessage),
  name: refusal.name,
  statusCode: refusal.status,
  level: refusal.status >= 500 ? 'error' : 'warn',
  error_id: errorId,
})

/** The message is cut, because it may quote the request. */
const longestMessage = 300

async function refusalOf(error: Error, { req }: Context): Promise<Refusal> {
  if (error instanceof DatabaseError && error.code?.startsWith(dataException))
    return badRequest('A value holds NUL or is out of range')
  if (error instanceof DatabaseError && error.constraint?.endsWith(userIsThere)) return userUnknown()
  if (error instanceof RangeError && error.message === stackOverflow)
    return badRequest('The body breaks too many rules')
  const status = error instanceof HTTPException ? error.status : 500
  if (status === 413) return new Refusal(413, 'PayloadTooLargeError', 'The body is larger than 1 MiB')
  if (status === 415) return badRequest('Content-Type must be application/json', contentType)
  if (status < 500) return badRequest('The body is not valid JSON', await findJsonFault(req))
  if (req.raw.signal.aborted) return badRequest('The request ended in the middle')
  return new Refusal(500, 'InternalServerError', 'Something went wrong')
}

/** zod gathers issues by a spread. It overflows the stack where a body breaks more than about 120,000 rules. */
const stackOverflow = 'Maximum call stack size exceeded'

const contentType = { where: 'header Content-Type', rule: 'must be application/json' }

/** The rule says where the parser gave up. The parser's own message quotes the body. */
async function findJsonFault(req: Context['req']): Promise<BrokenRule> {
  const text = await req.text().catch(() => '')
  try {
    JSON.parse(text)
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(String(error)) ?? []
    if (line) return { where: `body, line ${line}, column ${column}`, rule: 'must be JSON' }
  }
  return { where: 'body', rule: text === '' ? 'must be JSON; it is empty' : 'must be JSON' }
}

/** PostgreSQL's errors of this class are about values that it cannot take, such as NUL in a text or the year 0. */
const dataException = '22'

/** These constraints fail where a reset deleted the user after the request had read it. */
const userIsThere = '_user_uuid_fkey'
