import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { stepReasons } from '#lib/deliveries/rules/event-states.ts'
import { isStep } from '#lib/deliveries/rules/steps.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { branches, ofBranch } from './branches.ts'
import { branchesHaveIndexes } from './branches-have-indexes.ts'

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
  if (!(await branchesHaveIndexes())) return []
  return (await pool().query<ChoiceRow>(CHOICES, [])).rows
}

const CHOICES = `
  WITH RECURSIVE ${branches}
  SELECT DISTINCT listed.* FROM found AS branch, LATERAL (
    SELECT reason, currency_fiat, currency_crypto, chain FROM transaction
    WHERE ${ofBranch} ORDER BY started_at DESC LIMIT ${newest}
  ) AS listed LIMIT 1000`
