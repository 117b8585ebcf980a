import { z } from '@hono/zod-openapi'

/** Every error answer. ASSUMED: its shape, see refusal.ts. */
export const ErrorBody = z.object({
  message: z.string(),
  name: z.string(),
  statusCode: z.number().int(),
  level: z.string(),
  error_id: z.uuid(),
})

/** An answer with a JSON body. */
export const answers = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
})

/** A required JSON body. */
export const takes = <Schema extends z.ZodType>(schema: Schema) => ({
  body: { required: true, content: { 'application/json': { schema } } },
})

/** The error answers of a route. */
export const refuses = <Status extends number>(...statuses: Status[]) =>
  Object.fromEntries(statuses.map((status) => [status, answers('Refused', ErrorBody)]))

export const Text = (longest: number) =>
  z.string().trim().min(1).max(longest).regex(PRINTABLE, 'must be plain text')

/** PostgreSQL stores no NUL, and no name or description needs a control character. */
const PRINTABLE = /^\P{Cc}*$/u
