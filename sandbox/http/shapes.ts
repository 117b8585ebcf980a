import { z } from '@hono/zod-openapi'

/**
 * Every status that a call can be refused with: the name of that answer in the document, and when it is given. 500 is
 * not among them, it would be a defect.
 */
export const refusedAnswers = {
  400: [
    'BadRequest',
    'Something in the request is missing, malformed or not accepted (§7). ASSUMED: beyond the events of an endpoint, every other fault of a request too.',
  ],
  401: [
    'Unauthorized',
    'The session is invalid or expired, the signature or its message does not verify, the one-time password is wrong or expired (§7). ASSUMED: the API key is missing or wrong. A control call: no namespace has the key that it carries.',
  ],
  403: ['Forbidden', 'Sent by a page of another site.'],
  404: ['NotFound', 'The user does not exist (§7). ASSUMED: so for any other unknown id, path and method.'],
  408: ['RequestTimeout', 'ASSUMED: the request took too long to arrive. The connection is closed.'],
  409: ['Conflict', 'ASSUMED: what is to be made, or the state that is asked for, exists already.'],
  413: ['PayloadTooLarge', 'ASSUMED: the body is larger than 1 MiB.'],
  417: ['ExpectationFailed', 'ASSUMED: the header Expect asks for something else than 100-continue.'],
  421: ['MisdirectedRequest', 'Sent to another name than localhost, 127.0.0.1 or [::1] with this port.'],
  429: ['TooManyRequests', 'Too many one-time passwords were asked for (§7).'],
  431: ['HeadersTooLarge', 'ASSUMED: the address and the headers are together larger than 16 KiB.'],
  503: ['NotReady', 'The sandbox is still starting.'],
} as const

export type RefusedStatus = keyof typeof refusedAnswers

/** Answers of this status say in Retry-After how long to wait; a 429 only where that is `on`, see the options. */
export const saysRetryAfter = (status: number, on: boolean) => status === 503 || (status === 429 && on)

/** Every error answer. ASSUMED: its shape, see refusal.ts. */
export const ErrorBodySchema = z
  .object({
    message: z.string().openapi({ example: 'No webhook endpoint has this id' }),
    name: z.string().openapi({ example: 'NotFoundError' }),
    statusCode: z.number().int().openapi({ example: 404 }),
    level: z.enum(['warn', 'error']),
    error_id: z.uuid(),
  })
  .openapi('Error', { description: 'Why a call was refused. ASSUMED: its shape, §7 shows none.' })

/** An answer with a JSON body. */
export const jsonAnswer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
})

/** A required JSON body. */
export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  body: { required: true, content: { 'application/json': { schema } } },
})

/** The error answers that a route has beyond those of every call, which openapi.ts adds. */
export const refusalAnswers = (...statuses: RefusedStatus[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${refusedAnswers[status][0]}` }]),
  )

/** Text of one line. Its length counts characters as JSON Schema and PostgreSQL do, not halves of them as JavaScript. */
export const textOfLength = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    // No regex of zod's: the document would have it, and Python and Go read no \p.
    .refine((text) => printable.test(text), 'must be plain text')
    .refine((text) => [...text].length <= longest, `must have at most ${longest} characters`)
    .openapi({ maxLength: longest })

/**
 * PostgreSQL stores neither NUL nor half a character, no name or description needs a control character, and U+FFFD stands
 * where bytes were no UTF-8.
 */
const printable = /^[^\p{Cc}\p{Cs}\uFFFD]*$/u
