import net from 'node:net'
import { freePort } from '../../../bin/postgres.ts'
import { shardCount } from '../../../lib/deliveries/rules/subject.ts'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { openTestBed, sleep, type TestBed } from './test-bed.ts'

/** The server is killed with `kill -9` at random moments under load. */
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

/** A program in between drops whole answers of the server, and the sender repeats what is already stored. */
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

/** Two servers run, each with a projector. One is killed, and then the other is frozen and comes back. */
export const replicas: FaultTest = async ({ short }) => {
  const stage = await openTestBed('replicas')
  try {
    const receiver = await stage.addReceiver()
    const first = await stage.addServer()
    const second = await stage.addServer()
    await sharedBy(stage, 2)
    const load = startSenderLoad({ receiver, ports: () => [first.port, second.port] })
    const seen: string[] = []
    for (let n = 0; n < (short ? 1 : 3); n++) {
      await sleep(1_000)
      await first.kill('SIGKILL')
      seen.push(`killed, taken over after ${await sharedBy(stage, 1)} ms`)
      await first.start()
      await sharedBy(stage, 2)
      await sleep(500)
      second.freeze()
      seen.push(`frozen, taken over after ${await sharedBy(stage, 1)} ms`)
      await sleep(1_500)
      second.thaw()
      await sharedBy(stage, 2)
    }
    await load.finish()
    return `${seen.join('; ')}: ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
  }
}

/**
 * The function waits until so many projectors hold all shards among them. 2 s are promised, and the rest is for a busy
 * machine.
 */
async function sharedBy(stage: TestBed, projectors: number): Promise<number> {
  const began = performance.now()
  for (;;) {
    const [held] = await stage.ask<{ shards: number; holders: number }>(HELD)
    if (held?.shards === shardCount && held.holders === projectors) break
    if (performance.now() - began > 6_000) throw new Error(`${projectors} projectors do not hold all shards`)
    await sleep(20)
  }
  return Math.round(performance.now() - began)
}

const HELD = `
  SELECT count(*)::int AS shards, count(DISTINCT holder)::int AS holders FROM lease
  WHERE name LIKE 'projector:%' AND expires_at > clock_timestamp()`
