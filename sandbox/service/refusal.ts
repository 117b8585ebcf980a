import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DatabaseError } from 'pg'
import type { Log } from '../state/log.ts'

/** A call that the service refuses: its status (§7) and its message. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode
  readonly headers: Record<string, string>

  constructor(
    status: ContentfulStatusCode,
    name: string,
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.status = status
    this.name = name
    this.headers = headers
  }
}

export const badRequest = (message: string) => new Refusal(400, 'BadRequestError', message)
export const unauthorized = (message: string) => new Refusal(401, 'UnauthorizedError', message)
export const notFound = (message: string) => new Refusal(404, 'NotFoundError', message)

/** Turns whatever was thrown into the service's error body. Only what nobody foresaw is a 500. */
export function answerError(error: Error, context: Context, log: Log) {
  const refusal = error instanceof Refusal ? error : refusalOf(error, context)
  const body = errorBody(refusal)
  if (refusal.status >= 500 && refusal !== error)
    log.error({ err: error, error_id: body.error_id }, 'request failed')
  return context.json(body, refusal.status, refusal.headers)
}

/** ASSUMED: the error body's shape, from what is publicly seen of such services (§7 does not show it). */
export const errorBody = (refusal: Refusal) => ({
  message: refusal.message.slice(0, longestMessage),
  name: refusal.name,
  statusCode: refusal.status,
  level: refusal.status >= 500 ? 'error' : 'warn',
  error_id: randomUUID(),
})

/** A message may quote what was sent. */
const longestMessage = 300

function refusalOf(error: Error, { req }: Context): Refusal {
  if (error instanceof DatabaseError && error.code?.startsWith(dataException))
    return badRequest('A value holds NUL or is out of range')
  const status = error instanceof HTTPException ? error.status : 500
  if (status === 413) return new Refusal(413, 'PayloadTooLargeError', 'The body is larger than 1 MiB')
  if (status === 415) return badRequest('Content-Type must be application/json')
  if (status < 500) return badRequest('The body is not valid JSON')
  if (req.raw.signal.aborted) return badRequest('The request ended in the middle')
  return new Refusal(500, 'InternalServerError', 'Something went wrong')
}

/** PostgreSQL's class of errors about values it cannot take, such as NUL in a text or the year 0. */
const dataException = '22'
