import { compare } from './compare.ts'
import type { Fault } from './fault.ts'
import { startLoad } from './load.ts'
import { openStage, type Stage, sleep } from './stage.ts'

/** Two servers: the one that projects is killed, then the one that took over is frozen and comes back. */
export const replicas: Fault = async ({ short }) => {
  const stage = await openStage('replicas')
  try {
    const receiver = await stage.addReceiver()
    // The first to start projects.
    const first = await stage.addServer()
    await holderAfter(stage, null)
    const second = await stage.addServer()
    const load = startLoad({ receiver, ports: () => [first.port, second.port] })
    const seen: string[] = []
    for (let n = 0; n < (short ? 1 : 3); n++) {
      await sleep(1_000)
      const before = await holder(stage)
      await first.kill('SIGKILL')
      seen.push(`killed, taken over after ${await holderAfter(stage, before)} ms`)
      await first.start()
      await sleep(500)
      const now = await holder(stage)
      process.kill(second.pid, 'SIGSTOP')
      seen.push(`frozen, taken over after ${await holderAfter(stage, now)} ms`)
      await sleep(1_500)
      process.kill(second.pid, 'SIGCONT')
      await sleep(500)
    }
    await load.finish()
    return `${seen.join('; ')}: ${await compare(stage, load)}`
  } finally {
    await stage.close()
  }
}

async function holder(stage: Stage): Promise<string | null> {
  const [lease] = await stage.ask<{ holder: string }>(`SELECT holder FROM lease WHERE name = 'projector'`)
  return lease?.holder ?? null
}

/** Waits for another holder: 2 s are promised, the rest is for a busy machine. */
async function holderAfter(stage: Stage, before: string | null): Promise<number> {
  const began = performance.now()
  while ((await holder(stage)) === before) {
    if (performance.now() - began > 6_000) throw new Error('Nobody took the projector over')
    await sleep(20)
  }
  return Math.round(performance.now() - began)
}
