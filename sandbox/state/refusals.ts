import { z } from '@hono/zod-openapi'
import type { Log } from './log.ts'

/** The list holds refused requests with the broken rule of each. It says more than their answers and contains no secrets. */
export interface Refusals {
  note(refused: RefusedRequest): void
  /** Refused requests are listed newest first. */
  list(limit: number): RefusedRequest[]
  clear(): void
}

export type RefusedRequest = z.output<typeof RefusedRequestSchema>

/** A broken rule names the field, header or line that breaks it. */
export interface BrokenRule {
  readonly where: string
  readonly rule: string
}

/** The last thousand refusals live in memory. Each is also a line of the log. */
export function createRefusals(log: Log): Refusals {
  const kept: RefusedRequest[] = []
  return {
    note(given) {
      const broken_rules = given.broken_rules.slice(0, mostBrokenRules).map(shorten)
      // The texts are copied, because a slice would keep the whole text in memory.
      const refused = structuredClone({ ...given, broken_rules })
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

/** A list in a body may break as many rules as it has elements, and a rule may quote a key. */
export const mostBrokenRules = 20
const longestRule = 2_000

const shorten = ({ where, rule }: BrokenRule): BrokenRule => ({
  where: where.slice(0, longestRule),
  rule: rule.slice(0, longestRule),
})

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
    .describe(
      'The first 20 rules that are broken, with the field, header or line that breaks each, where there is one.',
    ),
  error_id: z.uuid().describe('As in the answer.'),
})
