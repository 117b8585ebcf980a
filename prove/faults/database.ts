import { compare } from './compare.ts'
import type { Fault } from './fault.ts'
import { startLoad } from './load.ts'
import { type Database, openStage, sleep } from './stage.ts'

/** PostgreSQL stopped at once, and started again. */
export const stopped: Fault = ({ short }) =>
  away(
    { times: short ? 1 : 3, forMs: 2_000 },
    (database) => database.stop(),
    (database) => database.start(),
  )

/** PostgreSQL frozen for longer than anybody waits, and back. */
export const frozen: Fault = ({ short }) =>
  away(
    { times: short ? 1 : 3, forMs: 7_000 },
    (database) => database.freeze(),
    (database) => database.thaw(),
  )

async function away(
  { times, forMs }: { times: number; forMs: number },
  begin: (database: Database) => Promise<void> | void,
  end: (database: Database) => Promise<void> | void,
): Promise<string> {
  const stage = await openStage('database')
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startLoad({ receiver, ports: () => [server.port] })
    for (let n = 0; n < times; n++) {
      await sleep(1_000)
      await begin(stage.database)
      await sleep(forMs)
      await end(stage.database)
    }
    await sleep(1_000)
    await load.finish()
    if (!load.attempts.some(({ status }) => status === 503))
      throw new Error('Nobody noticed that it was away')
    return `${times} times for ${forMs} ms: ${await compare(stage, load)}`
  } finally {
    stage.database.thaw()
    await stage.close()
  }
}
