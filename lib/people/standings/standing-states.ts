import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { statesOf, stepReasons } from '#lib/deliveries/rules/event-states.ts'
import { type EventType, eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { directions, isDirection } from '#lib/deliveries/rules/steps.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { type Total, upTo } from '#lib/platform/paging/paging.ts'
import { directionIs, unionAll } from '#lib/transactions/row-condition.ts'

/** A standing or a transaction has this state. */
export interface KnownState {
  readonly type: EventType
  readonly state: string
}

/** The states that came with these types, words or not, at most 100. Throws `NotAllowed`. */
export async function listStandingStates(caller: Caller, types: readonly EventType[]): Promise<KnownState[]> {
  requirePermission(caller, 'see-everything')
  return (await pool().query<KnownState>({ ...STATES, values: [types] })).rows
}

/** Accounts to pay into have these currencies, at most 100. Throws `NotAllowed`. */
export async function listCurrencies(caller: Caller): Promise<string[]> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<{ currency: string }>(CURRENCIES, ['unblockBankAccount'])
  return rows.map(({ currency }) => currency)
}

const STATES = planOnce(`
  SELECT type, state FROM standing_count WHERE type = ANY($1::text[]) AND state <> ''
  GROUP BY type, state HAVING sum(count) > 0 ORDER BY array_position($1::text[], type), state LIMIT 100`)

const CURRENCIES = `
  SELECT currency FROM standing_count WHERE type = $1 AND currency <> ''
  GROUP BY currency HAVING sum(count) > 0 ORDER BY currency LIMIT 100`

/** This state, or reason of a hold, came with a known type and has no words here, so pages show it as it came. */
interface UnknownType {
  readonly type: string
  readonly state: string
  /** This many transactions, accounts, people and companies have it. */
  readonly count: Total
}

/**
 * The list has the states in use that have no words here, as far as the caller's role may know of them. Throws
 * `NotAllowed`.
 */
export async function listUnknownTypes(caller: Caller): Promise<UnknownType[]> {
  requirePermission(caller, 'see-everything')
  const { role } = caller
  const others = eventTypes.filter((type) => !isDirection(type) && sees(role, type))
  const { rows } = await pool().query<UnknownTypeRow>({
    ...UNKNOWN_TYPES,
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

/** Each type is combined with each of its states that have words. */
const knownOf = (types: readonly EventType[]) =>
  types.flatMap((type) => statesOf[type].map((state) => `${type} ${state}`))

/** At most this many holds of a direction are read. */
const mostHolds = 2_000

interface UnknownTypeRow {
  /** Steps come first, then reasons of holds, then states. */
  readonly part: number
  readonly type: string
  readonly state: string
  readonly counted: number
  /** This many holds of the direction were read, for a reason. */
  readonly held: number | null
}

/**
 * Steps and states come from the counts, at most 50 are named. A reason of a transaction that is held is named too: a hold with an
 * unknown reason hides who must act.
 */
const UNKNOWN_TYPES = planOnce(`
  WITH held AS MATERIALIZED (${unionAll(
    directions.map(
      (direction) => `(
    SELECT direction AS type, reason FROM transaction WHERE ${directionIs(direction)} AND step = 'ON_HOLD' LIMIT $4)`,
    ),
  )})
  (SELECT 1 AS part, direction AS type, step AS state, sum(count)::int AS counted, NULL::int AS held
   FROM transaction_count
   WHERE at = 'epoch' AND sort = 'current' AND direction = ANY($1) AND step <> '' AND direction || ' ' || step <> ALL($2)
   GROUP BY direction, step HAVING sum(count) > 0 ORDER BY direction, step LIMIT 50)
  UNION ALL
  (SELECT 2, type, reason, count(*)::int, (SELECT count(*)::int FROM held AS every WHERE every.type = held.type)
   FROM held WHERE reason <> ALL($3) GROUP BY type, reason ORDER BY type, reason LIMIT 50)
  UNION ALL
  (SELECT 3, type, state, sum(count)::int, NULL
   FROM standing_count WHERE type = ANY($5) AND state <> '' AND type || ' ' || state <> ALL($6)
   GROUP BY type, state HAVING sum(count) > 0 ORDER BY type, state LIMIT 50)
  ORDER BY part, type, state`)
