import path from 'node:path'
import { build } from '../../bin/build.ts'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import type { SteadyResult } from './ingest-lag/load.ts'
import { startServer } from './live/server.ts'
import { cpuSecondsOf, forkChild, nextMessage } from './processes/processes.ts'

export const when = 'what works in small batches changed: how they are gathered, how often somebody looks'

const rates = [10, 100, 1_000, 2_000]
const warmUpSeconds = 10

/**
 * The benchmark measures the milliseconds of processor time that a delivery costs in each process at an ordinary, even load,
 * and how long a sender waits. The built pages and a projector run as `npm start` runs them. Processor time needs Linux.
 * @param words seconds of each load: 30, or the first word
 */
export default async function cost([word = '30']: string[]): Promise<void> {
  const seconds = Number(word)
  const postgres = await startTemporaryPostgres('cost', ['max_connections=100'])
  await build({ logs: postgres.folder, say: console.log, signal: new AbortController().signal })
  const server = await startServer(await postgres.create('bench'))
  try {
    const receiver = await server.addReceiver()
    const load = async (perSecond: number, forSeconds: number): Promise<SteadyResult> => {
      const id = path.posix.basename(receiver.path)
      const words = [server.port, id, receiver.secret, perSecond, forSeconds].map(String)
      return JSON.parse(
        await nextMessage(forkChild(path.join(import.meta.dirname, 'ingest-lag/load.ts'), words)),
      )
    }
    const read = async () => ({ ...(await server.cpu()), database: cpuSecondsOf(postgres.pid) * 1_000 })
    const figures = new Map<string, string>()
    for (const perSecond of rates) {
      await load(perSecond, warmUpSeconds)
      const before = await read()
      const { stored, failed, p50, p99 } = await load(perSecond, seconds)
      const after = await read()
      const each = (name: keyof typeof before) => (after[name] - before[name]) / stored
      const names = ['answering', 'streams', 'projector', 'database'] as const
      const all = names.reduce((sum, name) => sum + each(name), 0)
      const parts = names.map((name) => `${name} ${each(name).toFixed(2)}`).join(', ')
      console.log(
        `${perSecond}/s: ${all.toFixed(2)} ms of the processor a delivery (${parts}); answered in ${p50.toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99); ${failed} not stored`,
      )
      if (perSecond === 100) figures.set('cpu_ms_100', all.toFixed(2))
      if (perSecond !== 1_000) continue
      figures.set('cpu_ms_1000', all.toFixed(2))
      figures.set('p50_ms_1000', p50.toFixed(1))
      figures.set('p99_ms_1000', p99.toFixed(1))
    }
    console.log(`cost ${[...figures].map(([name, figure]) => `${name}=${figure}`).join(' ')}`)
  } finally {
    await server.stop()
    await postgres.stop()
  }
}
