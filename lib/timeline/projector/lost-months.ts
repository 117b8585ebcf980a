import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { noCallSource } from '#lib/access/caller.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import {
  attachMonth,
  type DeliveryMonth,
  deliveryMonth,
  firstId,
  monthNamed,
} from '#lib/platform/db/partitions.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/settings.ts'

/** Somebody dropped, detached or emptied this month of the log by hand: its events exist, but their bodies are gone. */
export interface LostMonth {
  readonly name: string
  /** `detached`: a table of its name exists outside the log. */
  readonly state: 'gone' | 'detached' | 'emptied'
}

/** Nothing is rebuilt from a log that lacks deliveries. */
export class MonthsLost extends OperatorError {
  constructor(months: readonly LostMonth[], unread: readonly DeliveryMonth[] = []) {
    super(months.length > 0 ? sayLost(months) : sayUnread(unread))
  }
}

const sayUnread = (months: readonly DeliveryMonth[]) =>
  `The log has ${months.map(({ name }) => name).join(' and ')} again. Before anything is rebuilt, a running Rampart reads it for people who were erased meanwhile. Try again in some minutes.`

/** One line says what is missing, what that means, and what to do. */
export function sayLost(months: readonly LostMonth[]): string {
  const names = months.map(({ name }) => name).join(' ')
  const attach = months
    .flatMap(({ name }) => {
      const month = monthNamed(name)
      return month ? [attachMonth(month, name, 'delivery')] : []
    })
    .join(' ')
  const found = months.map(({ name, state }) => `${name} (${states[state]})`).join(', ')
  return `The log lacks deliveries whose events are kept: ${found}. Somebody took them out by hand. Nothing is rebuilt until that is settled; new deliveries are folded, and pages show what they showed. Attach each again, from a backup where it was dropped (docs/retention.md): ${attach} If it is gone for good: npm run rampart retention accept-loss ${names}`
}

const states = {
  gone: 'dropped',
  detached: 'detached',
  emptied: 'emptied',
} satisfies Record<LostMonth['state'], string>

/** This many events are checked at each end of a month. */
const batchSize = 100

/**
 * Deliveries of these months are gone without their bodies. The first and the last events show it: a table that
 * is dropped, detached or truncated takes the deliveries at one end with it.
 */
export async function findLostMonths(database: pg.Pool | pg.ClientBase): Promise<LostMonth[]> {
  const lost: LostMonth[] = []
  for (let from: string | null = firstId; from !== null; ) {
    const month = await nextMonth(database, from)
    if (!month) break
    const { rows } = await database.query<{ state: LostMonth['state'] | null }>({
      name: 'lost-month',
      text: LOST,
      values: [month.from, month.to, month.name],
    })
    const state = rows[0]?.state
    if (state) lost.push({ name: month.name, state })
    from = month.to > from ? month.to : null
  }
  return lost
}

/** The result is the month of the first event from this id on. */
async function nextMonth(database: pg.Pool | pg.ClientBase, from: string): Promise<DeliveryMonth | null> {
  const { rows } = await database.query<{ id: string }>({ name: 'next-month', text: NEXT, values: [from] })
  const id = rows[0]?.id
  return id === undefined
    ? null
    : deliveryMonth(new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)))
}

/** Throws `MonthsLost`, also while a month that is back has not been read. */
export async function requireWholeLog(database: pg.Pool | pg.ClientBase): Promise<void> {
  const lost = await findLostMonths(database)
  const unread = await findMonthsBack(database, lost)
  if (lost.length > 0 || unread.length > 0) throw new MonthsLost(lost, unread)
}

/** Pages read the result of the last check here; they do not check themselves. */
const key = 'lost-months'

const StoredSchema = z
  .array(z.object({ name: z.string(), state: z.enum(['gone', 'detached', 'emptied']) }))
  .catch([])

/**
 * The check stores the missing months for pages. Whoever goes through the whole log calls it before: what is done to the
 * log now is done to these months when they are back.
 */
export async function noteLostMonths(pool: pg.Pool): Promise<readonly LostMonth[]> {
  const lost = await findLostMonths(pool)
  const away = new Set([...lost, ...(await readNotedMonths(pool))].map(({ name }) => name))
  if (away.size === 0) return lost
  await pool.query(NOTE_AWAY, [awayKey, JSON.stringify([...away])])
  await keepSettingRow(pool, key, lost)
  return lost
}

/** The log has lacked these months. A name stays until its month is back and settled. */
const awayKey = 'months-away'

/** The loss of these months was accepted. Deliveries that are there beside the lost ones do not say that they are back. */
const acceptedKey = 'months-accepted'

const NamesSchema = z.array(z.string()).catch([])

/** The log lacked these months and has them again, and nobody has read them since. */
export async function findMonthsBack(
  database: pg.Pool | pg.ClientBase,
  lost: readonly LostMonth[],
): Promise<DeliveryMonth[]> {
  const back = new Map<string, DeliveryMonth>()
  for (const [from, isBack] of [
    [awayKey, ANY_OF_MONTH],
    [acceptedKey, ACCEPTED_IN_LOG],
  ] as const)
    for (const name of NamesSchema.parse((await readSettingRow(database, from)) ?? [])) {
      const month = lost.some((one) => one.name === name) ? null : monthNamed(name)
      if (month && (await database.query(isBack, [month.from, month.to])).rowCount) back.set(name, month)
    }
  return [...back.values()]
}

/**
 * The month is like any other from now on. What ends old personal data begins again at it, since it could not reach
 * the month before.
 */
export async function settleMonth(tx: Transaction, { name, from }: DeliveryMonth): Promise<void> {
  await tx.query(SET_BACK, [from])
  for (const names of [awayKey, acceptedKey]) await tx.query(REMOVE_NAME, [names, name])
}

const REMOVE_NAME = 'UPDATE setting SET value = value - $2 WHERE key = $1'

const NOTE_AWAY = `
  INSERT INTO setting AS known (key, value) VALUES ($1, $2::jsonb)
  ON CONFLICT (key) DO UPDATE SET updated_at = now(), value = (
    SELECT jsonb_agg(DISTINCT name) FROM jsonb_array_elements(known.value || EXCLUDED.value) AS name)
  WHERE NOT known.value @> EXCLUDED.value`

const ANY_OF_MONTH = 'SELECT FROM delivery WHERE id >= $1::uuid AND id < $2::uuid LIMIT 1'

/** Each rule of `end-old-data.ts` keeps the last event that it has read. */
const SET_BACK = `
  UPDATE setting SET value = to_jsonb($1::text)
  WHERE starts_with(key, 'retention:') AND (value #>> '{}')::uuid > $1::uuid`

/** The last check found these months. */
export const readNotedMonths = async (pool: pg.Pool | Transaction): Promise<readonly LostMonth[]> =>
  StoredSchema.parse((await readSettingRow(pool, key)) ?? [])

/** One statement marks this many events. */
const step = 1_000

/**
 * An admin accepts that the bodies of a month will not come back: its events stay, and no longer prevent a rebuild. Events
 * whose delivery exists are not changed. The audit says it in the same transaction. The result is the number of events
 * that lost their body.
 */
export const acceptLoss = (pool: pg.Pool, { name, from, to }: DeliveryMonth): Promise<number> =>
  inTransaction(pool, async (tx) => {
    let marked = 0
    for (let next: string | null = from; next !== null; ) {
      const page: AcceptedPage = await acceptPage(tx, next, to)
      marked += page.marked
      next = page.last === next ? null : page.last
    }
    const entry = { actor: commandLine, action: 'log.accept-loss', outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { month: name, events: marked } }, noCallSource)
    // Somebody may find the month and attach it after all.
    await tx.query(NOTE_AWAY, [acceptedKey, JSON.stringify([name])])
    await tx.query(REMOVE_NAME, [awayKey, name])
    const noted = await readNotedMonths(tx)
    await keepSettingRow(
      tx,
      key,
      noted.filter((one) => one.name !== name),
    )
    return marked
  })

interface AcceptedPage {
  readonly last: string | null
  readonly marked: number
}

async function acceptPage(tx: Transaction, from: string, to: string): Promise<AcceptedPage> {
  const { rows } = await tx.query<AcceptedPage>(ACCEPT, [from, to, step])
  return rows[0] ?? { last: null, marked: 0 }
}

const NEXT = 'SELECT id FROM event WHERE id >= $1::uuid ORDER BY id LIMIT 1'

/** A body is lost when neither the event nor the log has it, and no time is recorded at which it left. */
const keepsNone = 'event.envelope IS NULL AND event.body_left_at IS NULL'
const notInLog = (event: string) => `NOT EXISTS (SELECT FROM delivery WHERE delivery.id = ${event}.id)`

const ofMonth = (order: string) => `(
  SELECT id, ${keepsNone} AS keeps_none FROM event WHERE id >= $1::uuid AND id < $2::uuid ORDER BY id ${order} LIMIT ${batchSize})`

const LOST = `
  SELECT CASE WHEN to_regclass($3) IS NULL THEN 'gone'
              WHEN EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = to_regclass($3)) THEN 'emptied'
              ELSE 'detached' END AS state
  FROM (${ofMonth('ASC')} UNION ALL ${ofMonth('DESC')}) AS edge
  WHERE keeps_none AND ${notInLog('edge')} LIMIT 1`

/** The events at both ends show it, as for `LOST`. */
const ACCEPTED_IN_LOG = `
  SELECT FROM (
    (SELECT id, body_left_at FROM event WHERE id >= $1::uuid AND id < $2::uuid ORDER BY id LIMIT ${batchSize})
    UNION ALL
    (SELECT id, body_left_at FROM event WHERE id >= $1::uuid AND id < $2::uuid ORDER BY id DESC LIMIT ${batchSize})
  ) AS edge
  WHERE body_left_at IS NOT NULL AND EXISTS (SELECT FROM delivery WHERE delivery.id = edge.id) LIMIT 1`

const ACCEPT = `
  WITH page AS MATERIALIZED (
    SELECT subject_id, id, ${keepsNone} AS keeps_none FROM event
    WHERE id >= $1::uuid AND id < $2::uuid ORDER BY id LIMIT $3
  ), lost AS MATERIALIZED (SELECT subject_id, id FROM page WHERE keeps_none AND ${notInLog('page')}),
  marked AS (
    UPDATE event SET body_left_at = now() FROM lost
    WHERE event.subject_id = lost.subject_id AND event.id = lost.id AND ${keepsNone} RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM marked) AS marked,
         (SELECT max(id::text) FROM page HAVING count(*) = $3) AS last`
