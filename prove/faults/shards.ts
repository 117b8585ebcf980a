import crypto from 'node:crypto'
import type { Fault } from './fault.ts'
import { storePast } from './past.ts'
import type { Process } from './process.ts'
import { openStage, type Stage, sleep } from './stage.ts'
import { foldedContent, untilFolded } from './until-folded.ts'

const projectors = 3

/** Several projectors, killed and frozen at random, leave the rows that one alone leaves, however the queue is divided. */
export const shards: Fault = async ({ short }) => {
  const stage = await openStage('shards')
  try {
    const receivers = [(await stage.addReceiver()).id, (await stage.addReceiver()).id]
    const deliveries = await storePast(stage.url, receivers, short ? 300 : 6_000)
    const expected = await foldAlone(stage)
    const seen: string[] = []
    for (const count of short ? [4] : [1, 2, 4, 8]) {
      const url = await stage.copy(`shards_${count}`)
      const struck = await foldStruck(stage, url, count)
      if ((await foldedContent(url)) !== expected) throw new Error(`Other rows with ${count} shards`)
      seen.push(`${count} shards: ${struck.killed} killed, ${struck.frozen} frozen`)
    }
    return `${deliveries} deliveries folded by ${projectors} projectors, rows the same to the bit (${seen.join('; ')})`
  } finally {
    await stage.close()
  }
}

async function foldAlone(stage: Stage): Promise<string> {
  const url = await stage.copy('alone')
  const projector = await stage.addProjector({ url, shards: 1 })
  await untilFolded(url)
  await projector.kill('SIGKILL')
  return foldedContent(url)
}

/** Something happens to one of them all the time, until nothing waits. */
async function foldStruck(stage: Stage, url: string, count: number) {
  const all = await Promise.all(
    Array.from({ length: projectors }, () => stage.addProjector({ url, shards: count })),
  )
  const struck = { killed: 0, frozen: 0 }
  let folded = false
  const striking = (async () => {
    while (!folded) {
      await sleep(crypto.randomInt(100, 700))
      const one = all[crypto.randomInt(all.length)]
      if (one) struck[await strike(one)] += 1
    }
  })()
  await untilFolded(url)
  folded = true
  await striking
  await Promise.all(all.map((one) => one.kill('SIGKILL')))
  if (struck.killed + struck.frozen === 0) throw new Error('Nothing happened to any of them')
  return struck
}

async function strike(one: Process): Promise<'killed' | 'frozen'> {
  if (Math.random() < 0.5) {
    await one.kill('SIGKILL')
    await one.start()
    return 'killed'
  }
  one.freeze()
  // A lease is good for 1.4 s: some come back in time, others find that theirs was taken over.
  await sleep(crypto.randomInt(200, 2_500))
  one.thaw()
  return 'frozen'
}
