import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectTo, hasCode } from '../faults/test-bed.ts'
import type { DatabaseStage } from './open-stage.ts'
import { type Strike, strike } from './strike.ts'

/** The result is the largest number of Rampart's backends that wait for a lock while `work` goes on. */
async function mostWaiting(stage: DatabaseStage, work: () => Promise<void>): Promise<number> {
  let most = 0
  let done = false
  const watching = (async () => {
    const client = await connectTo(stage.url, 'proof')
    while (!done) {
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE application_name LIKE 'rampart%' AND wait_event_type = 'Lock'`,
      )
      most = Math.max(most, rows[0]?.count ?? 0)
      await sleep(500)
    }
    await client.end()
  })()
  await work()
  done = true
  await watching
  return most
}

const endAll = (stage: DatabaseStage) =>
  stage.ask<{ pid: number }>(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'rampart%'`,
  )

const readOnly: Strike = async (stage, cured) => {
  await stage.ask('ALTER DATABASE rampart SET default_transaction_read_only = on')
  await endAll(stage)
  await sleep(9_000)
  await stage.ask('BEGIN READ WRITE; ALTER DATABASE rampart RESET default_transaction_read_only; COMMIT')
  cured()
  return 'read-only for 9 s'
}

const elsewhere: Strike = async ({ way, standby, url }, cured) => {
  way.leadTo(Number(new URL(standby.url()).port))
  way.cut()
  await sleep(10_000)
  way.leadTo(Number(new URL(url).port))
  way.cut()
  cured()
  return 'the address led to a standby for 10 s'
}

const warning: Strike = async (stage, cured) => {
  await stage.ask(`
    CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'must be vacuumed'; RETURN NULL; END $$;
    CREATE TRIGGER warn AFTER INSERT ON delivery_pending EXECUTE FUNCTION warn()`)
  cured()
  await sleep(5_000)
  await stage.ask('DROP TRIGGER warn ON delivery_pending; DROP FUNCTION warn')
  return 'a warning beside each insert for 5 s'
}

export const lockFor =
  (ms: number, name: string): Strike =>
  async (stage, cured) => {
    const holder = await connectTo(stage.url, name)
    const most = await mostWaiting(stage, async () => {
      await holder.query('BEGIN; LOCK TABLE delivery')
      await sleep(ms)
      await holder.query('COMMIT')
    })
    cured()
    await holder.end()
    const named = stage
      .logged()
      .split('\n')
      .filter((line) => line.includes(`"${name}"`)).length
    if (named === 0) throw new Error('The log does not say who held the lock')
    return `locked for ${ms / 1_000} s: ${most} backends waited at most, its holder is named in ${named} lines of the log`
  }

const locked = lockFor(60_000, 'a report')

const misled: Strike = async (stage, cured) => {
  const settings = `DateStyle = 'German, DMY'|IntervalStyle = sql_standard|extra_float_digits = 0|client_min_messages = error|TimeZone = 'Asia/Kolkata'`
  for (const setting of settings.split('|')) await stage.ask(`ALTER DATABASE rampart SET ${setting}`)
  await endAll(stage)
  cured()
  await sleep(8_000)
  await stage.ask('ALTER DATABASE rampart RESET ALL')
  return 'DateStyle and four others misled for 8 s'
}

const killed: Strike = async (stage, cured) => {
  let count = 0
  const until = performance.now() + 15_000
  while (performance.now() < until) {
    count += (await endAll(stage)).length
    await sleep(150)
  }
  cured()
  return `${count} backends killed`
}

const frozen: Strike = async ({ database }, cured) => {
  database.freeze()
  await sleep(20_000)
  database.thaw()
  cured()
  return 'all of PostgreSQL stood still for 20 s'
}

const dark: Strike = async ({ way }, cured) => {
  way.fallSilent()
  await sleep(40_000)
  way.speakAgain()
  cured()
  return 'nothing came through for 40 s'
}

const crashed: Strike = async ({ database }, cured) => {
  await database.stop()
  await sleep(3_000)
  await database.start()
  cured()
  return 'PostgreSQL stopped at once (immediate) for 3 s'
}

const rewritten: Strike = async (stage, cured) => {
  for (let n = 0; n < 3; n++)
    for (const table of [
      'delivery',
      'delivery_pending',
      'event',
      'event_delivery',
      'transaction',
      'session',
    ]) {
      await askAgain(stage, `VACUUM FULL ${table}`)
      await askAgain(stage, `REINDEX TABLE ${table}`)
    }
  cured()
  return 'VACUUM FULL and REINDEX of six tables, three times'
}

/** PostgreSQL may end the statement instead of the one that it waits for. An operator then gives it again. */
async function askAgain(stage: DatabaseStage, statement: string): Promise<void> {
  for (;;) {
    try {
      return void (await stage.ask(statement))
    } catch (error) {
      if (!hasCode(error, '40P01')) throw error
    }
  }
}

const published: Strike = async (stage, cured) => {
  await stage.ask('CREATE PUBLICATION everything FOR ALL TABLES')
  cured()
  await sleep(5_000)
  await stage.ask('DROP PUBLICATION everything')
  return 'a publication of all tables for 5 s'
}

/** The standby no longer follows and does not wait for its disk. Nothing is acknowledged until it does. */
const promoted: Strike = async (stage, cured, load) => {
  const url = stage.standby.url()
  stage.way.fallSilent()
  stage.way.cut()
  await sleep(3_000)
  const onStandby = await connectTo(url, 'proof')
  try {
    await sameDeliveries(stage, onStandby)
    await onStandby.query('ALTER SYSTEM SET synchronous_commit = off')
    await onStandby.query('SELECT pg_promote(), pg_reload_conf()')
    await stage.database.stop()
    stage.way.leadTo(Number(new URL(url).port))
    stage.way.speakAgain()
    stage.way.cut()
    const from = performance.now()
    await sleep(8_000)
    const taken = load.attempts.filter(({ at, status }) => at > from && status === 200)
    if (taken.length > 0) throw new Error(`${taken.length} were acknowledged without waiting for the disk`)
    await onStandby.query('ALTER SYSTEM RESET synchronous_commit')
    await onStandby.query('SELECT pg_reload_conf()')
    cured()
    if (!/synchronous_commit=off/.test(stage.logged())) throw new Error('Nobody said that nothing is safe')
    return 'a standby with synchronous_commit = off was promoted, said so in the log, and acknowledged nothing for 8 s'
  } finally {
    await onStandby.end()
  }
}

async function sameDeliveries(stage: DatabaseStage, standby: pg.Client) {
  const COUNT = 'SELECT count(*)::int AS count FROM delivery'
  for (;;) {
    const [here] = await stage.ask<{ count: number }>(COUNT)
    const { rows } = await standby.query<{ count: number }>(COUNT)
    if (here?.count === rows[0]?.count) return
    await sleep(200)
  }
}

/** The product and its sandbox share very few connections, and nothing is answered 500. */
async function fewPlaces(stage: DatabaseStage): Promise<string> {
  const restart = async () => {
    await stage.database.stop()
    await stage.database.start()
  }
  await stage.ask('ALTER SYSTEM SET max_connections = 25')
  await restart()
  await sleep(15_000)
  const said = await strike(stage, busyFor(30_000), { pause: 0 }).finally(async () => {
    await stage.ask('ALTER SYSTEM RESET max_connections')
    await restart()
    await sleep(5_000)
  })
  if (!said.includes('; 0 pages answered 500')) throw new Error(said)
  return said
}

const busyFor =
  (ms: number): Strike =>
  async (stage, cured) => {
    cured()
    let [most, mostOurs] = [0, 0]
    const until = performance.now() + ms
    const client = await connectTo(stage.url, 'proof')
    while (performance.now() < until) {
      const { rows } = await client.query<{ all: number; ours: number }>(
        `SELECT count(*)::int AS all, count(*) FILTER (WHERE datname = 'rampart')::int AS ours
         FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'proof'`,
      )
      most = Math.max(most, rows[0]?.all ?? 0)
      mostOurs = Math.max(mostOurs, rows[0]?.ours ?? 0)
      await sleep(300)
    }
    await client.end()
    return `${mostOurs} connections of Rampart at most, ${most} with the sandbox's`
  }

/** Codes are found in any case in a database that speaks Turkish. */
const inTurkish: Strike = async (stage, cured) => {
  cured()
  const [said] = await stage.ask<{ low: string }>(`SELECT lower('OPTIMISM') AS low`)
  await stage.ask(
    `UPDATE transaction SET chain = 'OPTIMISM' WHERE subject_id = (SELECT min(subject_id) FROM transaction)`,
  )
  const answer = await fetch(`http://localhost:${stage.port}/transactions?chain=optimism`, {
    headers: { cookie: stage.cookie },
  })
  const [row] = await stage.ask<{ uuid: string }>(
    `SELECT uuid FROM transaction WHERE chain = 'OPTIMISM' LIMIT 1`,
  )
  if (!row || !(await answer.text()).includes(row.uuid)) throw new Error('OPTIMISM is not found as optimism')
  return `OPTIMISM is found where lower() makes it ${said?.low}`
}

/** The rows break databases in this order, because the last one leaves another database. */
export const rows: Readonly<Record<string, (stage: DatabaseStage) => Promise<string>>> = {
  'Q1 read-only': (stage) => strike(stage, readOnly),
  'Q1 standby': (stage) => strike(stage, elsewhere),
  'Q2 warning': (stage) => strike(stage, warning),
  'Q3 25 places': fewPlaces,
  'Q4 lock': (stage) => strike(stage, locked, { perSecond: 6 }),
  'Q6 settings': (stage) => strike(stage, misled),
  'Q9 Turkish': (stage) => strike(stage, inTurkish),
  'held: kills': (stage) => strike(stage, killed),
  'held: frozen': (stage) => strike(stage, frozen),
  'held: darkness': (stage) => strike(stage, dark),
  'held: immediate': (stage) => strike(stage, crashed),
  'held: VACUUM FULL': (stage) => strike(stage, rewritten),
  'held: publication': (stage) => strike(stage, published),
  'promoted standby': (stage) => strike(onThePromoted(stage), promoted),
}

/** Later requests go to the standby. */
function onThePromoted(stage: DatabaseStage): DatabaseStage {
  return {
    ...stage,
    async ask<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) {
      if (stage.database.isUp()) return stage.ask<Row>(sql, values)
      const client = await connectTo(stage.standby.url(), 'proof')
      try {
        return (await client.query<Row>(sql, values)).rows
      } finally {
        await client.end()
      }
    },
  }
}
