import 'server-only'
import { z } from 'zod'
import { readFilters } from './rules/read-filters.ts'
import { type FilterTexts, filterNames, type TransactionMatch } from './rules/transaction-filters.ts'

const textSchema = z.string().max(500).optional()

/** The filters of a list as an address or a form sends them. */
export const filterFields = {
  direction: textSchema,
  step: textSchema,
  reason: textSchema,
  currency: textSchema,
  chain: textSchema,
  min: textSchema,
  max: textSchema,
  since: textSchema,
  from: textSchema,
  to: textSchema,
  user: textSchema,
  flags: textSchema,
} satisfies Record<(typeof filterNames)[number], typeof textSchema>

/** What the filters ask for; for each that is none an issue with its name, so that nothing is listed. */
export function matchOf(texts: FilterTexts, issues: z.core.$ZodRawIssue[]): TransactionMatch {
  const { match, wrong } = readFilters(texts, Date.now())
  for (const { name, why, text: input } of wrong)
    issues.push({ code: 'custom', message: why, path: [name], input })
  return match
}

/** The filters alone of what else was sent with them. */
export const filtersIn = (sent: FilterTexts): FilterTexts =>
  Object.fromEntries(
    filterNames.flatMap((name) =>
      sent[name] === undefined || sent[name] === null ? [] : [[name, sent[name]]],
    ),
  )
