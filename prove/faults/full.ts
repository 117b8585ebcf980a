import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { compare } from './compare.ts'
import { type Fault, NotHere } from './fault.ts'
import { startLoad } from './load.ts'
import { openStage, sleep } from './stage.ts'

/** The database's disk full, then freed; where that ends PostgreSQL itself, it is started again. */
export const full: Fault = async ({ short }) => {
  const stage = await openStage('full', {
    mount: mountSmall,
    settings: ['max_wal_size=48MB', 'min_wal_size=32MB'],
  })
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startLoad({ receiver, ports: () => [server.port], padding: 4_000 })
    await sleep(1_000)
    const ballast = path.join(stage.folder, 'postgres', 'ballast')
    const ended = await fill(ballast, short ? 4_000 : 15_000, stage.database.isUp)
    fs.rmSync(ballast)
    if (!stage.database.isUp()) await stage.database.start()
    await load.finish()
    if (!load.attempts.some(({ status }) => status === 503)) throw new Error('The disk was never full')
    return `${ended ? 'PostgreSQL ended' : 'PostgreSQL went on'}; ${await compare(stage, load)}`
  } finally {
    await stage.close()
  }
}

/** Takes whatever room is left, again and again. True when PostgreSQL ended meanwhile. */
async function fill(file: string, forMs: number, isUp: () => boolean): Promise<boolean> {
  const block = Buffer.alloc(64 * 1024)
  const ballast = fs.openSync(file, 'w')
  for (const until = Date.now() + forMs; Date.now() < until; await sleep(20)) {
    try {
      for (;;) fs.writeSync(ballast, block)
    } catch {
      // Full, for now.
    }
  }
  fs.closeSync(ballast)
  return !isUp()
}

/** A file system of its own in memory, as only root may have it. */
function mountSmall(folder: string): () => void {
  fs.mkdirSync(folder)
  const words = ['-t', 'tmpfs', '-o', 'size=192m', 'tmpfs', folder]
  const { status, stderr, error } = spawnSync('mount', words, { encoding: 'utf8' })
  if (status !== 0) {
    fs.rmSync(path.dirname(folder), { recursive: true })
    const why = error?.message ?? stderr.trim().split('\n')[0]
    throw new NotHere(process.getuid?.() === 0 ? `cannot mount: ${why}` : 'needs root to mount')
  }
  return () => spawnSync('umount', [folder])
}
