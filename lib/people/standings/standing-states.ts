import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { statesOf, stepReasons } from '#lib/deliveries/rules/event-states.ts'
import { type EventType, eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { directions, isDirection } from '#lib/deliveries/rules/steps.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type Total, upTo } from '#lib/platform/paging/paging.ts'
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

/** A state, or a reason of a hold, that came with a type of the contract and has no words here: it is shown as it came. */
interface Unworded {
  readonly type: string
  readonly state: string
  /** Transactions, accounts, people and companies that stand at it. */
  readonly count: Total
}

/** The states without words that something stands at, as far as the caller's role may know of them. Throws `NotAllowed`. */
export async function listUnworded(caller: Caller): Promise<Unworded[]> {
  requirePermission(caller, 'see-everything')
  const { role } = caller
  const others = eventTypes.filter((type) => !isDirection(type) && sees(role, type))
  const { rows } = await pool().query<UnwordedRow>({
    ...UNWORDED,
    values: [directions, knownOf(directions), stepReasons, mostHolds, others, knownOf(others)],
  })
  return rows.map(({ type, state, counted, held }) => ({
    type,
    state,
    count:
      held === null || held < mostHolds ? upTo(counted) : { ...upTo(counted), exact: false, atLeast: true },
  }))
}

const sees = (role: Role, type: EventType) => visibilityOf(role, eventRules(type).says) === 'plain'

/** Every type with each of its states that have words. */
const knownOf = (types: readonly EventType[]) =>
  types.flatMap((type) => statesOf[type].map((state) => `${type} ${state}`))

/** So many holds of a direction are looked through. */
const mostHolds = 2_000

interface UnwordedRow {
  readonly type: string
  readonly state: string
  readonly counted: number
  /** Of a reason, how many holds of its direction were looked through. */
  readonly held: number | null
}

/** Counts no further than `upTo` does. */
const countOf = (from: string) => `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT 1001) AS counted)`

/**
 * Steps and states: one descent of an index for each that something stands at, at most 50 are named; steps by the index that holds
 * direction and step together. Reasons of transactions that are held: a hold without words hides who must act.
 */
const UNWORDED = planOnce(`
  WITH RECURSIVE step (type, state, number) AS (
    (SELECT COALESCE(direction, ''), COALESCE(step, ''), 1 FROM transaction ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT next.*, number + 1 FROM step AS found, LATERAL (
      SELECT COALESCE(direction, ''), COALESCE(step, '') FROM transaction
      WHERE (COALESCE(direction, ''), COALESCE(step, '')) > (found.type, found.state)
      ORDER BY 1, 2 LIMIT 1) AS next WHERE number < 500
  ), held AS (
    SELECT known.type, one.reason FROM unnest($1::text[]) AS known (type), LATERAL (
      SELECT reason FROM transaction
      WHERE COALESCE(direction, '') = known.type AND COALESCE(step, '') = 'ON_HOLD' LIMIT $4) AS one
  ), state (type, state, number) AS (
    (SELECT type, state, 1 FROM standing WHERE state IS NOT NULL ORDER BY type, state LIMIT 1)
    UNION ALL
    SELECT next.type, next.state, number + 1 FROM state AS found, LATERAL (
      SELECT type, state FROM standing WHERE (type, state) > (found.type, found.state) AND state IS NOT NULL
      ORDER BY type, state LIMIT 1) AS next WHERE number < 500
  )
  (SELECT 1 AS part, type, state, ${countOf(`transaction
    WHERE COALESCE(direction, '') = found.type AND COALESCE(step, '') = found.state`)} AS counted, NULL::int AS held
   FROM step AS found WHERE type = ANY($1) AND state <> '' AND type || ' ' || state <> ALL($2) LIMIT 50)
  UNION ALL
  (SELECT 2, type, reason, count(*)::int, (SELECT count(*)::int FROM held AS every WHERE every.type = held.type)
   FROM held WHERE reason <> ALL($3) GROUP BY type, reason ORDER BY type, reason LIMIT 50)
  UNION ALL
  (SELECT 3, type, state, ${countOf('standing WHERE standing.type = found.type AND standing.state = found.state')}, NULL
   FROM state AS found WHERE type = ANY($5) AND type || ' ' || state <> ALL($6) LIMIT 50)
  ORDER BY part, type, state`)
