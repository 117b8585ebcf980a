import 'server-only'
import type pg from 'pg'
import { endedAccountStatuses } from '#lib/deliveries/rules/steps.ts'
import {
  type DeliveryMonth,
  deliveryMonth,
  firstId,
  firstUuidv7,
  monthNamed,
} from '#lib/platform/db/partitions.ts'
import { mostExact, rowsOf } from './measure-disk.ts'

/** Bodies and events are kept for so many whole months, beside the current one; null means for ever. */
export interface LogAges {
  readonly bodies: number | null
  readonly events: number | null
}

/** A cutoff is the first id that stays. */
export type LogCutoffs = { readonly [Name in keyof LogAges]: string | null }

export function cutoffsOf({ bodies, events }: LogAges, now: Date): LogCutoffs {
  const before = (months: number | null) => (months === null ? null : deliveryMonth(now, -months).from)
  return { bodies: before(bodies), events: before(events) }
}

/** The plan counts what would be removed. */
export interface RemovalPlan {
  readonly months: readonly {
    readonly name: string
    readonly deliveries: number
    /** A large month has the planner's estimate of its deliveries. */
    readonly isEstimate: boolean
    /** The bytes are those on disk, indexes included. */
    readonly bytes: number
    /** Deliveries that were not folded, such as dead letters, stay, and so does their month. */
    readonly unfolded: number
  }[]
  /** Whole subjects are removed, counted by kind. */
  readonly subjects: Readonly<Record<string, number>>
  /** These subjects have no newer events, but stay: they are open, in force or waiting. */
  readonly staying: Readonly<Record<string, number>>
}

/** `planRemoval` reads everything that is older, which takes long in a large log. It writes nothing. */
export async function planRemoval(pool: pg.Pool, cutoffs: LogCutoffs): Promise<RemovalPlan> {
  const months = await listOldMonths(pool, cutoffs)
  const counted: RemovalPlan['months'][number][] = []
  for (const { name, from, to } of months) {
    const { rows } = await pool.query<CountRow>(COUNT_MONTH(name), [from, to])
    counted.push(...rows.map(({ is_estimate: isEstimate, ...counts }) => ({ name, isEstimate, ...counts })))
  }
  const { rows } = cutoffs.events
    ? await pool.query<{ kind: string; goes: boolean; n: number }>(COUNT_SUBJECTS, [cutoffs.events])
    : { rows: [] }
  const kinds = (goes: boolean) =>
    Object.fromEntries(rows.filter((row) => row.goes === goes).map(({ kind, n }) => [kind, n]))
  return { months: counted, subjects: kinds(true), staying: kinds(false) }
}

interface CountRow {
  readonly deliveries: number
  readonly is_estimate: boolean
  readonly bytes: number
  readonly unfolded: number
}

/** The list has months of the log that lie wholly before a cutoff, from the oldest on. */
export async function listOldMonths(pool: pg.Pool, { bodies, events }: LogCutoffs): Promise<DeliveryMonth[]> {
  const before = [bodies, events]
    .filter((id) => id !== null)
    .sort()
    .at(-1)
  if (before === undefined) return []
  const { rows } = await pool.query<{ name: string }>(MONTHS)
  return rows.flatMap(({ name }) => monthNamed(name) ?? []).filter(({ to }) => to <= before)
}

/**
 * The SQL condition selects whole subjects to remove: no delivery since the cutoff, no newer note, and finished (a
 * transaction), ended (an account) or unknown. A status of a person or company is in force until their erasure. A
 * subject with a queued or dead delivery stays too: the log is on one server, so statements ask that by themselves.
 * @param subject SQL of the subject's id
 * @param cutoff the parameter with the first id that stays
 */
export const isOld = (subject: string, cutoff: string) => `(
  NOT EXISTS (SELECT FROM event_delivery d WHERE d.subject_id = ${subject} AND d.delivery_id >= ${cutoff}::uuid)
  AND NOT EXISTS (
    SELECT FROM transaction_note n WHERE n.subject_id = ${subject}
      AND ${uuidOf('GREATEST(n.written_at, n.changed_at)')} >= ${cutoff}::uuid)
  AND CASE split_part(${subject}, ':', 1)
    WHEN 'transaction' THEN EXISTS (SELECT FROM transaction t WHERE t.subject_id = ${subject} AND t.finished_at IS NOT NULL)
    WHEN 'bank-account' THEN NOT EXISTS (
      SELECT FROM standing st WHERE st.subject_id = ${subject} AND COALESCE(st.state, '') <> ALL('{${endedAccountStatuses.join(',')}}'))
    ELSE ${subject} LIKE 'unknown:%'
  END)`

/** The SQL is the smallest uuidv7 of a time, as `firstUuidv7` makes it. */
function uuidOf(at: string) {
  return `(lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '${firstUuidv7(0).replaceAll('-', '').slice(12)}')::uuid`
}

const MONTHS = `
  SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent = 'delivery'::regclass ORDER BY relname`

const COUNT_MONTH = (name: string) => `
  SELECT ${rowsOf(name, `oid = '${name}'::regclass`)} AS deliveries, reltuples > ${mostExact} AS is_estimate,
         pg_total_relation_size(oid)::float8 AS bytes,
         (SELECT count(*)::int FROM delivery_pending WHERE delivery_id >= $1::uuid AND delivery_id < $2::uuid) AS unfolded
  FROM pg_class WHERE oid = '${name}'::regclass`

const COUNT_SUBJECTS = `
  WITH waiting AS MATERIALIZED (
    SELECT subject_id FROM event_delivery WHERE delivery_id = ANY(ARRAY(SELECT delivery_id FROM delivery_pending))
  ), old AS MATERIALIZED (
    SELECT id, ${isOld('found.id', '$1')} AS goes
    FROM (SELECT DISTINCT subject_id AS id FROM event WHERE id < $1::uuid AND id > '${firstId}') AS found
    WHERE NOT EXISTS (SELECT FROM event_delivery d WHERE d.subject_id = found.id AND d.delivery_id >= $1::uuid)
  )
  SELECT split_part(id, ':', 1) AS kind, goes AND id NOT IN (SELECT subject_id FROM waiting) AS goes, count(*)::int AS n
  FROM old GROUP BY 1, 2`
