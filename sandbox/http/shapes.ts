import { type Hook, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Env } from 'hono'
import { badRequest } from '../service/refusal.ts'
import { type BrokenRule, mostBrokenRules } from '../state/refusals.ts'

/**
 * Each status of a refusal has a name in the document and a description of when it is given. Status 500 is missing because
 * it would be a defect.
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

/** An answer with this status carries Retry-After. A 429 does so only where `on` is set, see the options. */
export const saysRetryAfter = (status: number, on: boolean) => status === 503 || (status === 429 && on)

/** Every error answer has this body. ASSUMED: its shape, see refusal.ts. */
export const ErrorBodySchema = z
  .object({
    message: z.string().openapi({ example: 'No webhook endpoint has this id' }),
    name: z.string().openapi({ example: 'NotFoundError' }),
    statusCode: z.number().int().openapi({ example: 404 }),
    level: z.enum(['warn', 'error']),
    error_id: z.uuid(),
  })
  .openapi('Error', { description: 'Why a call was refused. ASSUMED: its shape, §7 shows none.' })

export const jsonAnswer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
})

export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  body: { required: true, content: { 'application/json': { schema } } },
})

/** A route adds these error answers to those of every call, which openapi.ts adds. */
export const refusalAnswers = (...statuses: RefusedStatus[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${refusedAnswers[status][0]}` }]),
  )

/** The line has no control characters, and loses the blanks around it. */
export const lineOfLength = (longest: number) =>
  limited(z.string().trim(), longest).refine((text) => !/\p{Cc}/u.test(text), 'must be plain text')

/** The text is kept as it is, with its lines and blanks. */
export const textOfLength = (longest: number) => limited(z.string(), longest)

/**
 * The length counts characters as JSON Schema and PostgreSQL do, not UTF-16 units as JavaScript does. PostgreSQL stores
 * neither NUL nor half a character, and U+FFFD replaces bytes that were not UTF-8.
 */
const limited = (text: z.ZodString, longest: number) =>
  text
    .min(1)
    .refine((given) => given.isWellFormed() && !/[\0\uFFFD]/.test(given), 'must be plain text')
    .refine((given) => [...given].length <= longest, `must have at most ${longest} characters`)
    .openapi({ maxLength: longest })

/** A router checks requests by the schemas of its routes. A request that does not fit gets a 400 that names the place. */
export const createRouter = <E extends Env = Env>() =>
  // Both spellings of a path are the same, because the contract writes POST /auth/otp/ with its slash (§4.1).
  new OpenAPIHono<E>({ strict: false, defaultHook: refuseInvalid })

// biome-ignore lint/suspicious/noExplicitAny: the library's own signature for a hook of every route
const refuseInvalid: Hook<any, any, any, any> = (result, context) => {
  // The library reads a missing body as {}, which is right when every field is optional.
  if (result.target === 'json' && !context.req.header('content-type'))
    throw badRequest('A JSON body is needed')
  if (result.success) return
  const issue = result.error.issues[0]
  const where = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  throw badRequest(
    `${where}${issue?.message ?? 'invalid'}`,
    ...faultsIn(result.error.issues, result.target === 'json' ? 'body' : result.target),
  )
}

/** The list holds the first broken rules, those of each alternative of a union too. A schema's messages quote no values. */
function faultsIn(issues: readonly z.core.$ZodIssue[], within: string): BrokenRule[] {
  return issues.slice(0, mostBrokenRules).flatMap((issue) => {
    const where = [within, ...issue.path].map(String).join('.')
    const alternatives = issue.code === 'invalid_union' ? issue.errors : []
    return [
      { where, rule: issue.message },
      ...alternatives.flatMap((errors, index) => faultsIn(errors, `${where} as alternative ${index + 1}`)),
    ]
  })
}
