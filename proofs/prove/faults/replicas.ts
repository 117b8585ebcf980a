import { shardCount } from '../../../lib/deliveries/rules/shard.ts'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { openTestBed, sleep, type TestBed } from './test-bed.ts'

/** Two servers, each with a projector: one is killed, then the other is frozen and comes back. */
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

/** Waits until so many projectors hold all shards among them: 2 s are promised, the rest is for a busy machine. */
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
