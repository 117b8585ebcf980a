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

/** A standing or a transaction has this state. */
export interface KnownState {
  readonly type: EventType
  readonly state: string
}

/**
 * These states came with the types, known or not, at most 100. Each takes one descent of an index. Throws
 * `NotAllowed`.
 */
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
  SELECT asked.type, found.state FROM unnest($1::text[]) AS asked (type), LATERAL (${statesOfAskedType}) AS found LIMIT 100`)

const CURRENCIES = `
  WITH RECURSIVE found (currency) AS (
    (SELECT currency FROM standing WHERE type = $1 AND currency IS NOT NULL ORDER BY currency LIMIT 1)
    UNION ALL
    SELECT next.currency FROM found, LATERAL (
      SELECT currency FROM standing WHERE type = $1 AND currency > found.currency ORDER BY currency LIMIT 1
    ) AS next
  ) SELECT currency FROM found LIMIT 100`

/** This state, or reason of a hold, came with a known type and has no words here, so pages show it as it came. */
interface Unworded {
  readonly type: string
  readonly state: string
  /** This many transactions, accounts, people and companies have it. */
  readonly count: Total
}

/**
 * The list has the states in use that have no words here, as far as the caller's role may know of them. Throws
 * `NotAllowed`.
 */
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

/** Each type is combined with each of its states that have words. */
const knownOf = (types: readonly EventType[]) =>
  types.flatMap((type) => statesOf[type].map((state) => `${type} ${state}`))

/** At most this many holds of a direction are read. */
const mostHolds = 2_000

interface UnwordedRow {
  /** Steps come first, then reasons of holds, then states. */
  readonly part: number
  readonly type: string
  readonly state: string
  readonly counted: number
  /** This many holds of the direction were read, for a reason. */
  readonly held: number | null
}

/** The count goes no further than `upTo` does. */
const countOf = (from: string) => `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT 1001) AS counted)`

/**
 * Each state in use takes one descent of an index, and at most 50 are named. Steps use the index of direction and
 * step. Reasons come from transactions on hold: a hold without words hides who must act.
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
