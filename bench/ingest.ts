import path from 'node:path'
import { startTemporaryPostgres } from '../bin/temporary-postgres.ts'
import type { LoadResult } from './ingest/load.ts'
import type { SteadyResult } from './ingest-lag/load.ts'
import { endChild, forkChild, nextMessage } from './processes/child.ts'
import { type BenchDatabase, createDatabase, secret } from './processes/database.ts'

const folder = path.join(import.meta.dirname, 'ingest')
const rounds = 8
const secondsEach = 4

/** Bytes, and for how long such bodies arrive. */
const largeBody = 500 * 1024
const delaySeconds = 20

/** Both sides one after the other, several times, each from an empty log; the median of their ratios counts. */
export default async function benchIngest(): Promise<void> {
  const postgres = await startTemporaryPostgres('bench')
  try {
    const pairs: Record<Side, LoadResult>[] = []
    for (let round = 0; round < rounds; round++) {
      const sides: readonly Side[] = round % 2 ? ['full', 'bare'] : ['bare', 'full']
      const pair: Partial<Record<Side, LoadResult>> = {}
      for (const side of sides) {
        const result = await measure(side, await createDatabase(postgres, `bench_${side}_${round}`))
        console.log(
          `${side.padEnd(5)} ${Math.round(result.perSecond)}/s, p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms, ${result.failed} not stored`,
        )
        pair[side] = result
      }
      if (pair.bare && pair.full) pairs.push({ bare: pair.bare, full: pair.full })
    }
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

type Side = 'bare' | 'full'

const servers = { bare: 'bare.ts', full: 'full-server.ts' } satisfies Record<Side, string>

async function measure(side: Side, { url, keys, receiverId }: BenchDatabase): Promise<LoadResult> {
  const projector = start('projector.ts', [url])
  const server = start(servers[side], [url, keys])
  const port = await nextMessage(server)
  const load = start('load.ts', [port, receiverId, secret, String(secondsEach)])
  const result = JSON.parse(await nextMessage(load))
  for (const child of [load, server, projector]) await endChild(child)
  return result
}

/** For how long the event loop of the answering process is blocked while large bodies are folded beside small ones, in ms. */
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
