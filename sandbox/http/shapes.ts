import { z } from '@hono/zod-openapi'
import { type RefusedStatus, refusedAnswers } from './refused.ts'

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
