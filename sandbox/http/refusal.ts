import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DatabaseError } from 'pg'
import type { Log } from '../log.ts'

/** A call that the service refuses: its status (§7) and what the caller is told. */
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
  const refusal = error instanceof Refusal ? error : refusalOf(error)
  const errorId = randomUUID()
  if (refusal.status >= 500) log.error({ err: error, error_id: errorId }, 'request failed')
  // ASSUMED: the error body's shape, from what is publicly seen of such services (§7 does not show it).
  const body = {
    message: refusal.message,
    name: refusal.name,
    statusCode: refusal.status,
    level: refusal.status >= 500 ? 'error' : 'warn',
    error_id: errorId,
  }
  return context.json(body, refusal.status, refusal.headers)
}

function refusalOf(error: Error): Refusal {
  if (error instanceof DatabaseError && error.code === INVALID_TEXT)
    return badRequest('Text must not contain NUL')
  if (error instanceof HTTPException && error.status === 413) {
    return new Refusal(413, 'PayloadTooLargeError', 'The body is larger than 1 MiB')
  }
  if (error instanceof HTTPException && error.status < 500) return badRequest('The body is not valid JSON')
  return new Refusal(500, 'InternalServerError', 'Something went wrong')
}

/** PostgreSQL's character_not_in_repertoire. */
const INVALID_TEXT = '22021'
