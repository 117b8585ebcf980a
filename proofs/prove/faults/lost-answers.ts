import net from 'node:net'
import { freePort } from '../../../bin/postgres.ts'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { openTestBed, sleep } from './test-bed.ts'

/** Something between swallows answers that left the server whole: the sender repeats what is stored. */
export const lostAnswers: FaultTest = async ({ short }) => {
  const stage = await openTestBed('lost')
  const port = await freePort()
  let swallowed = 0
  const proxy = net.createServer((sender) => {
    const server = net.connect(to, '127.0.0.1')
    for (const socket of [sender, server]) socket.on('error', () => undefined)
    sender.on('data', (chunk) => server.write(chunk))
    sender.on('close', () => server.destroy())
    server.on('close', () => sender.destroy())
    server.on('data', (chunk) => {
      if (Math.random() > 0.2) return sender.write(chunk)
      swallowed += 1
      return sender.destroy()
    })
  })
  let to = 0
  try {
    const receiver = await stage.addReceiver()
    to = (await stage.addServer()).port
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
    const load = startSenderLoad({ receiver, ports: () => [port], perSecond: 20 })
    await sleep(short ? 1_500 : 10_000)
    await load.finish()
    if (swallowed === 0) throw new Error('No answer was lost')
    return `${swallowed} answers lost: ${await compareWithLog(stage, load)}`
  } finally {
    proxy.close()
    await stage.close()
  }
}
