import { compare } from './compare.ts'
import type { Fault } from './fault.ts'
import { startLoad } from './load.ts'
import { openStage, sleep } from './stage.ts'

/** `kill -9` of the server at random moments under load. */
export const kill: Fault = async ({ short }) => {
  const stage = await openStage('kill')
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startLoad({ receiver, ports: () => [server.port] })
    const times = short ? 3 : 20
    for (let n = 0; n < times; n++) {
      await sleep(200 + Math.random() * 1_300)
      await server.kill('SIGKILL')
      await server.start()
    }
    await load.finish()
    return `${times} kills: ${await compare(stage, load)}`
  } finally {
    await stage.close()
  }
}
