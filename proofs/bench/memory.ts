import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../../bin/build.ts'
import { freePort } from '../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { childrenOf } from '../prove/faults/process.ts'
import { endInOrder, startRampart } from './installation/installation.ts'
import { createDatabase, forkChild, nextMessage, secret } from './processes/processes.ts'

export const when = 'what a process loads at its start changed, or a package was updated'

/** V8 gives memory back only after minutes without work. */
const idleSeconds = 180

const pages = ['/sign-in', '/sign-up', '/', '/transactions']
const timesEach = 25
const deliveriesPerSecond = 50
const deliverySeconds = 20

/**
 * The benchmark measures the memory of each process of a built Rampart without the sandbox: idle after the start, and idle
 * again after 100 requests for pages and 1,000 deliveries. PostgreSQL is not counted. It needs Linux.
 * @param words seconds of idleness: 180, or the first word
 */
export default async function measureMemory([word = String(idleSeconds)]: string[]): Promise<void> {
  const idleMs = Number(word) * 1_000
  const postgres = await startTemporaryPostgres('memory')
  try {
    await build({ logs: postgres.folder, say: console.log, signal: new AbortController().signal, once: true })
    const { url, keys, receiverId } = await createDatabase(postgres, 'rampart')
    const port = await freePort()
    const rampart = await startRampart({
      NODE_ENV: 'production',
      PROJECTORS: '1',
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      RAMPART_DATA_DIR: path.join(postgres.folder, 'data'),
      DATABASE_URL: url,
      // No server answers at this address.
      SERVICE_BASE_URL: 'http://localhost:9/onboarding',
      SERVICE_API_KEY: 'none',
      NEXTAUTH_SECRET: crypto.randomBytes(32).toString('hex'),
      RAMPART_KEYS: keys,
    })
    // Rampart would outlive an interrupted benchmark.
    process.once('exit', () => rampart.kill('SIGTERM'))
    try {
      await sleep(idleMs)
      const started = print('idle after the start', rampart.pid ?? 0)
      await use(port, receiverId)
      await sleep(idleMs)
      const used = print('idle after pages and deliveries', rampart.pid ?? 0)
      const figures = {
        rss_mb: started.rss,
        pss_mb: started.pss,
        used_rss_mb: used.rss,
        used_pss_mb: used.pss,
      }
      const words = Object.entries(figures).map(([name, kilobytes]) => `${name}=${megabytes(kilobytes)}`)
      console.log(`memory ${words.join(' ')}`)
    } finally {
      await endInOrder(rampart)
    }
  } finally {
    await postgres.stop()
  }
}

async function use(port: number, receiverId: string) {
  for (let n = 0; n < timesEach; n++)
    for (const page of pages) await (await fetch(`http://localhost:${port}${page}`)).text()
  const words = [port, receiverId, secret, deliveriesPerSecond, deliverySeconds].map(String)
  await nextMessage(forkChild(path.join(import.meta.dirname, 'ingest-lag/load.ts'), words))
}

/** The sizes are in kilobytes. PSS counts a page of memory that several processes share only once in the sum. */
const columns = { rss: /^Rss:\s+(\d+) kB$/m, pss: /^Pss:\s+(\d+) kB$/m, own: /^Anonymous:\s+(\d+) kB$/m }
type Sizes = Record<keyof typeof columns, number>

/** The function prints a line for this process and for each below it, and gives their sum. */
function print(title: string, top: number): Sizes {
  const sum = { rss: 0, pss: 0, own: 0 }
  console.log(
    `\n${title.padEnd(34)}${Object.keys(columns)
      .map((name) => name.padStart(6))
      .join('')} MB`,
  )
  const line = (name: string, sizes: Sizes) =>
    console.log(
      `  ${name.padEnd(32)}${Object.values(sizes)
        .map((size) => String(megabytes(size)).padStart(6))
        .join('')}`,
    )
  for (const { name, pid } of [{ name: 'supervisor', pid: top }, ...below(top)]) {
    const sizes = sizesOf(pid)
    for (const column of ['rss', 'pss', 'own'] as const) sum[column] += sizes[column]
    line(name, sizes)
  }
  line('all', sum)
  return sum
}

const below = (parent: number): { name: string; pid: number }[] =>
  childrenOf(parent).flatMap(({ pid, words }) => [{ name: words.at(-1) ?? '', pid }, ...below(pid)])

function sizesOf(pid: number): Sizes {
  const text = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const read = (column: keyof typeof columns) => Number(columns[column].exec(text)?.[1])
  return { rss: read('rss'), pss: read('pss'), own: read('own') }
}

const megabytes = (kilobytes: number) => Math.round(kilobytes / 1024)
