import pg from 'pg'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { openTestBed, sleep, type TestBed } from './test-bed.ts'

/** Others take every connection that the database has, those of the server among them. */
export const pool: FaultTest = async ({ short }) => {
  const stage = await openTestBed('pool', { settings: ['max_connections=25'] })
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    await sleep(1_000)
    const letGo = await takeAll(stage, short ? 3_000 : 8_000)
    await letGo()
    await sleep(1_000)
    await load.finish()
    if (!load.attempts.some(({ status }) => status === 503)) throw new Error('There were connections left')
    return await compareWithLog(stage, load)
  } finally {
    await stage.close()
  }
}

/** For so many milliseconds, ends the server's connections again and again, and takes their places. */
async function takeAll(stage: TestBed, forMs: number): Promise<() => Promise<void>> {
  const until = Date.now() + forMs
  const taken = [await connect(stage)]
  const endThem = async () => {
    while (Date.now() < until) {
      await taken[0]?.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'rampart%'`,
      )
      await sleep(5)
    }
  }
  const takeTheirs = async () => {
    while (Date.now() < until) {
      await connect(stage).then(
        (client) => taken.push(client),
        () => sleep(5),
      )
    }
  }
  await Promise.all([endThem(), takeTheirs(), takeTheirs()])
  return async () => {
    for (const client of taken) await client.end()
  }
}

async function connect(stage: TestBed): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stage.url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
