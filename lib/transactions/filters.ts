import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { stepReasons } from '#lib/deliveries/rules/event-states.ts'
import { everyStep, isStep } from '#lib/deliveries/rules/steps.ts'
import { emailsOf } from '#lib/identity/users/directory.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { directionConditions, unionAll } from './row-condition.ts'
import { readFilters } from './rules/read-filters.ts'
import { type FilterTexts, filterNames, type TransactionMatch } from './rules/transaction-filters.ts'

const textSchema = z.string().max(500).optional()

/** An address or a form sends these filters of a list. */
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

/** This parses the filters. A filter that cannot be read adds an issue with its name, so that nothing is listed. */
export function matchOf(texts: FilterTexts, issues: z.core.$ZodRawIssue[]): TransactionMatch {
  const { match, wrong } = readFilters(texts, Date.now())
  for (const { name, why, text: input } of wrong)
    issues.push({ code: 'custom', message: why, path: [name], input })
  return match
}

/** Other fields that were sent along are left out. */
export const filtersIn = (sent: FilterTexts): FilterTexts =>
  Object.fromEntries(
    filterNames.flatMap((name) =>
      sent[name] === undefined || sent[name] === null ? [] : [[name, sent[name]]],
    ),
  )

/** The form offers these values, in order. An address may also contain rarer values. */
export interface FilterChoices {
  readonly reasons: readonly string[]
  /** The currencies are in upper case. */
  readonly currencies: readonly string[]
  /** The chains are in lower case. */
  readonly chains: readonly string[]
}

/** So many of the newest rows of each direction, and of each known step, are read. */
const newest = 100

/** A process keeps the values for this many milliseconds. */
const keptMs = 60_000

const kept = keepFor(keptMs, read)

/** The choices are the recent reasons, currencies and chains, and the reasons that have a label. Throws `NotAllowed`. */
export async function listFilterChoices(caller: Caller): Promise<FilterChoices> {
  requirePermission(caller, 'see-everything')
  const rows = await kept.read()
  const different = (values: readonly (string | null)[]) =>
    [...new Set(values.flatMap((value) => value || []))].sort()
  return {
    // A reason that only repeats the step is left out: the filter of steps covers it.
    reasons: different([...stepReasons, ...rows.map(({ reason }) => reason)]).filter(
      (reason) => !isStep(reason) && !/^PROCESS_(COMPLETED|FAILED)$/.test(reason),
    ),
    currencies: different(
      rows
        .flatMap((row) => [row.currency_fiat, row.currency_crypto])
        .map((each) => each?.toUpperCase() ?? null),
    ),
    chains: different(rows.map(({ chain }) => chain?.toLowerCase() ?? null)),
  }
}

interface ChoiceRow {
  readonly reason: string | null
  readonly currency_fiat: string | null
  readonly currency_crypto: string | null
  readonly chain: string | null
}

async function read(): Promise<readonly ChoiceRow[]> {
  return (await pool().query<ChoiceRow>(CHOICES, [])).rows
}

const newestOf = (condition: string) => `(
  SELECT reason, currency_fiat, currency_crypto, chain FROM transaction
  WHERE ${condition} ORDER BY started_at DESC LIMIT ${newest})`

const CHOICES = `
  SELECT DISTINCT * FROM (${unionAll(
    directionConditions.flatMap(({ sql }) => [
      newestOf(sql),
      ...everyStep.map((step) => newestOf(`${sql} AND step = '${step}'`)),
    ]),
  )}) AS listed LIMIT 1000`

/**
 * The filter shows the user's e-mail address as the role may see it; null when the directory has none. Throws `NotAllowed`.
 */
export async function nameUser(caller: Caller, userUuid: string): Promise<string | null> {
  requirePermission(caller, 'see-everything')
  const emails = await emailsOf([userUuid])
  return showRecord(caller.role, 'person', { email: emails.get(userUuid) ?? null }).email
}
