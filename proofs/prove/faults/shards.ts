import crypto from 'node:crypto'
import type { FaultTest } from './fault-test.ts'
import type { Process } from './process.ts'
import { storePastDeliveries } from './store-past-deliveries.ts'
import { openTestBed, sleep, type TestBed } from './test-bed.ts'
import { foldedContent, waitUntilFolded, withClient } from './wait-until-folded.ts'

const projectors = 3

/** Several projectors, killed and frozen at random, leave the rows that one alone leaves, however the queue is divided. */
export const shards: FaultTest = async ({ short }) => {
  const stage = await openTestBed('shards')
  try {
    const receivers = [(await stage.addReceiver()).id, (await stage.addReceiver()).id]
    const deliveries = await storePastDeliveries(stage.url, receivers, short ? 150 : 2_000)
    const expected = await foldAlone(stage)
    const seen: string[] = []
    for (const count of short ? [4] : [1, 2, 4, 8]) {
      const url = await stage.copy(`shards_${count}`)
      const killed = await foldWhileKilling(stage, url, count)
      if ((await foldedContent(url)) !== expected) throw new Error(`Other rows with ${count} shards`)
      seen.push(`${count} shards: ${killed.killed} killed, ${killed.frozen} frozen`)
    }
    return `${deliveries} deliveries folded by ${projectors} projectors, rows the same to the bit (${seen.join('; ')})`
  } finally {
    await stage.close()
  }
}

async function foldAlone(stage: TestBed): Promise<string> {
  const url = await stage.copy('alone')
  const projector = await stage.addProjector({ url, shards: 1 })
  await waitUntilFolded(url)
  await projector.kill('SIGKILL')
  return foldedContent(url)
}

/** Something happens to each of them again and again, while deliveries come to the queue. */
async function foldWhileKilling(stage: TestBed, url: string, count: number) {
  const feed = await holdBack(url)
  const all = await Promise.all(
    Array.from({ length: projectors }, () => stage.addProjector({ url, shards: count })),
  )
  const struck = { killed: 0, frozen: 0 }
  let isOver = false
  const killing = all.map(async (one) => {
    while (!isOver) {
      await sleep(crypto.randomInt(100, 1_500))
      if (!isOver) struck[await killOrFreeze(one)] += 1
    }
  })
  await feed()
  isOver = true
  await Promise.all(killing)
  await waitUntilFolded(url)
  await Promise.all(all.map((one) => one.kill('SIGKILL')))
  if (struck.killed + struck.frozen === 0) throw new Error('Nothing happened to any of them')
  return struck
}

/**
 * Empties the queue.
 * @returns a function that refills it in small portions, so that projectors are killed in the middle of their
 * work
 */
async function holdBack(url: string): Promise<() => Promise<void>> {
  await withClient(url, async (client) => {
    await client.query('CREATE TABLE held_back AS TABLE delivery_pending')
    await client.query('DELETE FROM delivery_pending')
  })
  return () =>
    withClient(url, async (client) => {
      while ((await client.query(FEED)).rowCount) await sleep(10)
    })
}

const FEED = `
  WITH next AS (
    DELETE FROM held_back WHERE delivery_id IN (SELECT delivery_id FROM held_back ORDER BY delivery_id LIMIT 15)
    RETURNING *
  )
  INSERT INTO delivery_pending SELECT * FROM next`

async function killOrFreeze(one: Process): Promise<'killed' | 'frozen'> {
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
