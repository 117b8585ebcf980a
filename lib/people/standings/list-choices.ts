import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { statesOfAskedType } from '#lib/timeline/tables/standing.ts'

/** A state that something stands at. */
export interface KnownState {
  readonly type: EventType
  readonly state: string
}

/** The states that came with these types, words or not, at most 100: one descent of an index for each. Throws `NotAllowed`. */
export async function listStandingStates(caller: Caller, types: readonly EventType[]): Promise<KnownState[]> {
  requirePermission(caller, 'see-everything')
  return (await pool().query<KnownState>({ ...STATES, values: [types] })).rows
}

/** The currencies of accounts to pay into, at most 100. Throws `NotAllowed`. */
export async function listCurrencies(caller: Caller): Promise<string[]> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<{ currency: string }>(CURRENCIES, ['unblockBankAccount'])
  return rows.map(({ currency }) => currency)
}

const STATES = planOnce(`
  SELECT asked.type, found.state FROM unnest($1::text[]) AS asked (type), LATERAL (${statesOfAskedType}) AS found LIMIT 100`)

const CURRENCIES = `
  WITH RECURSIVE found (currency) AS (
    (SELECT currency FROM standing WHERE type = $1 AND currency IS NOT NULL ORDER BY currency LIMIT 1)
    UNION ALL
    SELECT next.currency FROM found, LATERAL (
      SELECT currency FROM standing WHERE type = $1 AND currency > found.currency ORDER BY currency LIMIT 1
    ) AS next
  ) SELECT currency FROM found LIMIT 100`
