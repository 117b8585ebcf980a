import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { openTestBed, sleep } from './faults/test-bed.ts'

export const when = 'the answering process or the projector keeps something longer than before'

/**
 * The proof samples the memory of the deliveries' server and its projector under the load of 50 connections. The last third
 * of the time must stay flat against the second; the first is the warm-up.
 * @param words seconds; 60 by default
 */
export default async function runMemoryTest(words: string[]): Promise<void> {
  const seconds = Number(words[0] ?? 60)
  const stage = await openTestBed('memory')
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const secret = receiver.authorization.replace('API-Key ', '')
    const sender = fork(path.join(import.meta.dirname, '../bench/ingest/load.ts'), [
      String(server.port),
      receiver.id,
      secret,
    ])
    const ended = once(sender, 'message')
    sender.send(seconds)
    const samples: number[] = []
    for (let second = 0; second < seconds; second++) {
      await sleep(1_000)
      samples.push(server.memory().now)
      if (second % 5 === 4) console.log(`${second + 1} s: ${samples.at(-1)} MB`)
    }
    const [result] = await ended
    sender.kill()
    console.log(String(result))
    const { perSecond } = Load.parse(JSON.parse(String(result)))
    const third = Math.floor(samples.length / 3)
    const [second, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)].map(median)
    const growth = (last ?? 0) / (second ?? 1)
    console.log(`memory rss_mb=${last} most_mb=${Math.max(...samples)} growth=${growth.toFixed(2)}`)
    if (!(perSecond > 0)) throw new Error('Nothing was stored: this run proves nothing')
    if (!(growth <= 1.2)) throw new Error('The memory grows')
  } finally {
    await stage.close()
  }
}

const Load = z.object({ perSecond: z.number() })

const median = (figures: readonly number[]) =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0
