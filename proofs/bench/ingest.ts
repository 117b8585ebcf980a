import path from 'node:path'
import pg from 'pg'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../bin/temporary-postgres.ts'
import type { LoadResult } from './ingest/load.ts'
import type { SteadyResult } from './ingest-lag/load.ts'
import {
  type BenchDatabase,
  createDatabase,
  endChild,
  forkChild,
  nextMessage,
  secret,
  untilFolded,
} from './processes/processes.ts'

export const when = 'what stands between the socket and the commit of a delivery changed'

const folder = path.join(import.meta.dirname, 'ingest')
const rounds = 12
const secondsEach = 4

/** The code compiles during the warm-up. A server runs for months, and 10 s would be too few. */
const warmUpSeconds = 30

/** The constants are the bytes of a large body, and the seconds for which such bodies arrive. */
const largeBody = 500 * 1024
const delaySeconds = 20

/** Both sides run by turns, each from an empty queue. The median of the pairs' ratios counts. */
export default async function benchIngest(): Promise<void> {
  const postgres = await startTemporaryPostgres('bench')
  try {
    const bare = await openSide(postgres, 'bare.ts')
    const full = await openSide(postgres, 'full-server.ts')
    for (const { measure } of [bare, full]) await measure(warmUpSeconds)
    const pairs: { readonly bare: LoadResult; readonly full: LoadResult }[] = []
    for (let round = 0; round < rounds; round++) {
      const before = round % 2 ? await full.measure(secondsEach) : undefined
      const pair = {
        bare: await bare.measure(secondsEach),
        full: before ?? (await full.measure(secondsEach)),
      }
      for (const [side, { perSecond, p50, p99, failed }] of Object.entries(pair))
        console.log(
          `${side.padEnd(5)} ${Math.round(perSecond)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failed} not stored`,
        )
      pairs.push(pair)
    }
    for (const { end } of [bare, full]) await end()
    const ratio = (figure: 'perSecond' | 'p99') =>
      median(pairs.map(({ full, bare }) => full[figure] / bare[figure])).toFixed(2)
    const delay = await measureDelay(await createDatabase(postgres, 'bench_delay'))
    console.log(
      `ingest ratio=${ratio('perSecond')} p99_ratio=${ratio('p99')} delay_p99_ms=${delay.toFixed(1)}`,
    )
  } finally {
    await postgres.stop()
  }
}

interface Side {
  /** The load runs for this many seconds, and then everything is folded. */
  measure(seconds: number): Promise<LoadResult>
  end(): Promise<void>
}

/** A side is a server with its database, its projector and its load. */
async function openSide(postgres: TemporaryPostgres, file: string): Promise<Side> {
  const { url, keys, receiverId } = await createDatabase(postgres, path.parse(file).name)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const projector = start('projector.ts', [url])
  const server = start(file, [url, keys])
  const load = start('load.ts', [await nextMessage(server), receiverId, secret])
  return {
    async measure(seconds) {
      load.send(seconds)
      const result: LoadResult = JSON.parse(await nextMessage(load))
      await untilFolded(client)
      return result
    },
    async end() {
      for (const child of [load, server, projector]) await endChild(child)
      await client.end()
    },
  }
}

/**
 * The delay says for how many ms the answering process's event loop is blocked while large bodies are folded beside small
 * ones.
 */
async function measureDelay({ url, keys, receiverId }: BenchDatabase): Promise<number> {
  const projector = start('projector.ts', [url])
  const server = start('full-server.ts', [url, keys])
  const port = await nextMessage(server)
  const send = (perSecond: number, seconds: number, padding: number) =>
    nextMessage(
      start('../ingest-lag/load.ts', [port, receiverId, secret, `${perSecond}`, `${seconds}`, `${padding}`]),
    )
  await send(200, 2, 0)
  server.send('begin')
  const results = await Promise.all([send(200, delaySeconds, 0), send(8, delaySeconds, largeBody)])
  const delay = nextMessage(server)
  server.send('delay')
  const { p99, most } = JSON.parse(await delay)
  const [small, large] = results.map((result): SteadyResult => JSON.parse(result))
  console.log(
    `event loop held up for ${p99.toFixed(1)} ms at p99, ${most.toFixed(0)} ms at most, beside ${small?.stored} small and ${large?.stored} large deliveries`,
  )
  for (const child of [server, projector]) await endChild(child)
  return p99
}

const start = (file: string, words: string[]) => forkChild(path.join(folder, file), words)

function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = 0] =
    sorted.length % 2 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1, middle + 1)
  return (low + high) / 2
}
