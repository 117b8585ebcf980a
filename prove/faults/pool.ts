import pg from 'pg'
import { compare } from './compare.ts'
import type { Fault } from './fault.ts'
import { startLoad } from './load.ts'
import { openStage, type Stage, sleep } from './stage.ts'

/** Others take every connection that the database has, those of the server among them. */
export const pool: Fault = async ({ short }) => {
  const stage = await openStage('pool', { settings: ['max_connections=25'] })
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startLoad({ receiver, ports: () => [server.port] })
    await sleep(1_000)
    const letGo = await takeAll(stage, short ? 3_000 : 8_000)
    await letGo()
    await sleep(1_000)
    await load.finish()
    if (!load.attempts.some(({ status }) => status === 503)) throw new Error('There were connections left')
    return await compare(stage, load)
  } finally {
    await stage.close()
  }
}

/** For so many milliseconds, ends the server's connections again and again, and takes their places. */
async function takeAll(stage: Stage, forMs: number): Promise<() => Promise<void>> {
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

async function connect(stage: Stage): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stage.url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
