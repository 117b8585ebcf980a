import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { openTestBed, sleep } from './test-bed.ts'

/** `kill -9` of the server at random moments under load. */
export const kill: FaultTest = async ({ short }) => {
  const stage = await openTestBed('kill')
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    const times = short ? 3 : 20
    for (let n = 0; n < times; n++) {
      await sleep(200 + Math.random() * 1_300)
      await server.kill('SIGKILL')
      await server.start()
    }
    await load.finish()
    return `${times} kills: ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
  }
}
