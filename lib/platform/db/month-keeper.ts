import 'server-only'
import type pg from 'pg'
import { logOf } from '../log.ts'
import { closeConnection, connect } from './connect.ts'
import { advisoryLocks, isLockTimeout } from './locks.ts'
import {
  attachMonth,
  createMonth,
  type DeliveryMonth,
  defaultHoldsRows,
  deliveryMonth,
  firstId,
  firstUuidv7,
  makeMonths,
  missingMonths,
} from './partitions.ts'

/**
 * `makeMissingMonths` creates the months that are missing at `now`, and empties the default partition if it has deliveries.
 * @returns true when nothing is left to do
 */
export async function makeMissingMonths(url: string, now: Date, isStopping: () => boolean): Promise<boolean> {
  const client = await connect(url, 'rampart months', 600_000, 'keeps-sessions')
  try {
    const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [
      advisoryLocks.partitions,
    ])
    if (!rows[0]?.free) return false
    if (await defaultHoldsRows(client)) return await emptyDefaultPartition(client, now, isStopping)
    await makeMonths(client, now)
    return true
  } finally {
    await closeConnection(client)
  }
}

const log = logOf('database')

/** One statement copies this many deliveries. A copy and the exchange wait for locks for this many milliseconds. */
const copyBatch = 100
const lockTimeoutMs = 250

/** `dropCopies` undoes an unfinished `emptyDefaultPartition`. The copies are useless once `delivery` has other columns. */
export const dropCopies = `
  DROP FUNCTION IF EXISTS mirror_delivery() CASCADE;
  DROP TABLE IF EXISTS delivery_moving CASCADE;`

/**
 * `emptyDefaultPartition` moves deliveries from the default partition into month partitions, in batches into tables that
 * nobody reads yet. A trigger copies new ones and erasures. One short transaction exchanges the tables, so each delivery is
 * always visible once. Decision 0020.
 * @param isStopping checked between two steps; the next call continues
 * @returns true when it is finished
 */
async function emptyDefaultPartition(
  client: pg.Client,
  now: Date,
  isStopping: () => boolean,
): Promise<boolean> {
  if (await isCopying(client, 'delivery_emptied')) await dropEmptied(client)
  if (!(await isCopying(client, 'delivery_moving'))) await begin(client, now)
  if (!(await isCopied(client))) await copyAll(client, isStopping)
  if (isStopping() || !(await exchange(client))) return false
  await dropEmptied(client)
  return true
}

const isCopying = async (client: pg.Client, table: string) =>
  (await client.query('SELECT WHERE to_regclass($1) IS NOT NULL', [table])).rowCount === 1

/** `begin` creates the tables to fill and the trigger. The first copy sees everything that the trigger did not. */
async function begin(client: pg.Client, now: Date) {
  const months = [...(await heldMonths(client)), ...(await missingMonths(client, now))]
  const tables = [...new Map(months.map((month) => [month.name, month])).values()].map(
    (month) =>
      createMonth(month, movingName(month)) + attachMonth(month, movingName(month), 'delivery_moving'),
  )
  await client.query(`
    SET LOCAL lock_timeout = '1s';
    ${dropCopies}
    CREATE TABLE delivery_moving (LIKE delivery INCLUDING ALL) PARTITION BY RANGE (id);
    ${tables.join('\n')}
    CREATE TABLE delivery_moving_default PARTITION OF delivery_moving DEFAULT;
    CREATE FUNCTION mirror_delivery() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO delivery_moving SELECT NEW.* ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body;
      RETURN NULL;
    END $$;
    CREATE TRIGGER mirror_delivery AFTER INSERT OR UPDATE ON delivery_default
    FOR EACH ROW EXECUTE FUNCTION mirror_delivery();`)
}

const movingName = ({ name }: DeliveryMonth) => `${name}_moving`

/** The default partition has deliveries of these months. Each month is found by one index lookup. */
async function heldMonths(client: pg.Client): Promise<DeliveryMonth[]> {
  const months: DeliveryMonth[] = []
  let id = await firstHeld(client, firstId)
  while (id !== undefined && id < lastUuidv7) {
    const at = new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
    const month = deliveryMonth(at)
    // An id of another uuid version may sort before the first uuidv7 of its millisecond.
    const held = id < month.from ? deliveryMonth(at, -1) : month
    months.push(held)
    id = await firstHeld(client, held.to)
  }
  return months
}

/** There are no months after this id. */
const lastUuidv7 = firstUuidv7(Number.POSITIVE_INFINITY)

async function firstHeld(client: pg.Client, from: string): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM delivery_default WHERE id >= $1 ORDER BY id LIMIT 1',
    [from],
  )
  return rows[0]?.id
}

const isCopied = async (client: pg.Client) =>
  (await client.query(`SELECT WHERE obj_description('delivery_moving'::regclass) = 'copied'`)).rowCount === 1

/**
 * `copyAll` pauses as long as it works, so that deliveries have the database for half of the time. No copy waits for the
 * disk, but the mark at the end waits for all. It does not wait long for an erasure of the same rows, which may wait for
 * this copy.
 */
async function copyAll(client: pg.Client, isStopping: () => boolean) {
  let last: string | undefined
  for (let complete = false; !complete && !isStopping(); ) {
    const began = performance.now()
    const copied = await copyBatchAfter(client, last)
    if (copied) last = copied.last
    complete = copied !== null && last === undefined
    if (complete) await client.query(`COMMENT ON TABLE delivery_moving IS 'copied'`)
    else await sleep(performance.now() - began)
  }
}

/** The result is null when others have locked some of the rows. The caller tries again. */
async function copyBatchAfter(client: pg.Client, after: string | undefined) {
  await client.query(
    `BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = '${lockTimeoutMs}ms'`,
  )
  try {
    const { rows } = await client.query<{ id: string }>(COPY, [after, copyBatch])
    await client.query('COMMIT')
    return { last: rows[0]?.id }
  } catch (error) {
    await client.query('ROLLBACK')
    if (isLockTimeout(error)) return null
    throw error
  }
}

const COPY = `
  WITH part AS MATERIALIZED (SELECT * FROM delivery_default WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2),
  copied AS (INSERT INTO delivery_moving SELECT * FROM part ON CONFLICT (id) DO NOTHING)
  SELECT id FROM part ORDER BY id DESC LIMIT 1`

/**
 * The log cannot be read or written during the exchange, which takes some milliseconds once the locks are held. Without
 * locks it gives up soon and tries again later, so that others can continue.
 */
async function exchange(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ table: string; bound: string }>(
    `SELECT c.relname AS table, pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_class c
     JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = 'delivery_moving'::regclass AND c.relname LIKE '%\\_moving'`,
  )
  const months = rows.map(
    ({ table, bound }) => `
      ALTER TABLE delivery_moving DETACH PARTITION ${table};
      ALTER TABLE delivery ATTACH PARTITION ${table} ${bound};
      ALTER TABLE ${table} DROP CONSTRAINT within_month;
      ALTER TABLE ${table} RENAME TO ${table.replace(/_moving$/, '')};`,
  )
  const statement = `
    SET LOCAL lock_timeout = '${lockTimeoutMs}ms';
    LOCK TABLE ONLY delivery, ONLY delivery_default IN ACCESS EXCLUSIVE MODE;
    ALTER TABLE delivery DETACH PARTITION delivery_default;
    DROP TRIGGER mirror_delivery ON delivery_default;
    ALTER TABLE delivery_default RENAME TO delivery_emptied;
    ${months.join('')}
    ALTER TABLE delivery_moving DETACH PARTITION delivery_moving_default;
    ALTER TABLE delivery_moving_default RENAME TO delivery_default;
    ALTER TABLE delivery ATTACH PARTITION delivery_default DEFAULT;`
  for (let tries = 0; tries < 5; tries++) {
    try {
      await client.query(statement)
      return true
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      await sleep(1_000)
    }
  }
  return false
}

/** The table is dropped only when each of its deliveries is surely in the log. */
async function dropEmptied(client: pg.Client) {
  const { rowCount } = await client.query(
    `INSERT INTO delivery SELECT * FROM delivery_emptied e
     WHERE NOT EXISTS (SELECT FROM delivery d WHERE d.id = e.id)`,
  )
  if (rowCount) log.error({ count: rowCount }, 'Deliveries were missing from the months and were added')
  await client.query(`DROP TABLE delivery_emptied; ${dropCopies}`)
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
