import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { openTestBed, sleep, type TestDatabaseServer } from './test-bed.ts'

/** PostgreSQL stopped at once, and started again. */
export const stopped: FaultTest = ({ short }) =>
  away(
    { times: short ? 1 : 3, forMs: 2_000 },
    (database) => database.stop(),
    (database) => database.start(),
  )

/** PostgreSQL frozen for longer than anybody waits, and back. */
export const frozen: FaultTest = ({ short }) =>
  away(
    { times: short ? 1 : 3, forMs: 7_000 },
    (database) => database.freeze(),
    (database) => database.thaw(),
  )

async function away(
  { times, forMs }: { times: number; forMs: number },
  begin: (database: TestDatabaseServer) => Promise<void> | void,
  end: (database: TestDatabaseServer) => Promise<void> | void,
): Promise<string> {
  const stage = await openTestBed('database')
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
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
    return `${times} times for ${forMs} ms: ${await compareWithLog(stage, load)}`
  } finally {
    stage.database.thaw()
    await stage.close()
  }
}
