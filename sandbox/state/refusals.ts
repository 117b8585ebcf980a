import { z } from '@hono/zod-openapi'
import type { Log } from './log.ts'

/** The requests that were refused, with what was wrong with each: more than their answers say, and no secrets. */
export interface Refusals {
  note(refused: RefusedRequest): void
  /** Newest first. */
  list(limit: number): RefusedRequest[]
  clear(): void
}

export type RefusedRequest = z.output<typeof RefusedRequestSchema>

/** One rule that a request breaks, and the field, header or line that breaks it. */
export interface BrokenRule {
  readonly where: string
  readonly rule: string
}

/** They are kept in memory, the last thousand; each is a line of the log, too. */
export function createRefusals(log: Log): Refusals {
  const kept: RefusedRequest[] = []
  return {
    note(refused) {
      kept.push(refused)
      if (kept.length > mostKept) kept.shift()
      log.info({ refused }, 'request refused')
    },
    list: (limit) => kept.slice(-limit).reverse(),
    clear() {
      kept.length = 0
    },
  }
}

const mostKept = 1_000

export const RefusedRequestSchema = z.object({
  at: z.string().openapi({ format: 'date-time' }),
  method: z.string().openapi({ example: 'POST' }),
  path: z
    .string()
    .openapi({ example: '/onboarding/merchant/webhook-endpoints' })
    .describe('Without its query.'),
  status: z.number().int().openapi({ example: 400 }),
  name: z.string().openapi({ example: 'BadRequestError' }),
  message: z.string().openapi({ example: 'url: must be an https address' }).describe('As in the answer.'),
  broken_rules: z
    .array(
      z.object({
        where: z.string().openapi({ example: 'body.url' }),
        rule: z.string().openapi({ example: 'must be an https address' }),
      }),
    )
    .describe('Each rule that is broken, with the field, header or line that breaks it, where there is one.'),
  error_id: z.uuid().describe('As in the answer.'),
})
