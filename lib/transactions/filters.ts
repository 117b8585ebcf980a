import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { stepReasons } from '#lib/deliveries/rules/event-states.ts'
import { isStep } from '#lib/deliveries/rules/steps.ts'
import { emailsOf } from '#lib/identity/users/find-users.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { branches, ofBranch } from './branches.ts'
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

/** What a filter may be set to, in order; what is rarer than that can still stand in an address. */
export interface FilterChoices {
  readonly reasons: readonly string[]
  /** In capitals. */
  readonly currencies: readonly string[]
  /** In small letters. */
  readonly chains: readonly string[]
}

/** The newest of each direction and step are looked at. */
const newest = 100

/** Milliseconds for which a process keeps what it has read. */
const keptMs = 60_000

const kept = keepFor(keptMs, read)

/** The reasons, currencies and chains of late, and the reasons that have words. Throws `NotAllowed`. */
export async function listFilterChoices(caller: Caller): Promise<FilterChoices> {
  requirePermission(caller, 'see-everything')
  const rows = await kept.read()
  const different = (values: readonly (string | null)[]) =>
    [...new Set(values.flatMap((value) => value || []))].sort()
  return {
    // What only repeats the step is filtered by the step.
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

const CHOICES = `
  WITH RECURSIVE ${branches}
  SELECT DISTINCT listed.* FROM found AS branch, LATERAL (
    SELECT reason, currency_fiat, currency_crypto, chain FROM transaction
    WHERE ${ofBranch} ORDER BY started_at DESC LIMIT ${newest}
  ) AS listed LIMIT 1000`

/** Whom a filter names, as the caller's role may know it: the e-mail; null where the directory has none. Throws `NotAllowed`. */
export async function nameUser(caller: Caller, userUuid: string): Promise<string | null> {
  requirePermission(caller, 'see-everything')
  const emails = await emailsOf([userUuid])
  return showRecord(caller.role, 'person', { email: emails.get(userUuid) ?? null }).email
}
