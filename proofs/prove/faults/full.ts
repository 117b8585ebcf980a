import fs from 'node:fs'
import path from 'node:path'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { hasCode } from './has-code.ts'
import { startSenderLoad } from './load.ts'
import { mountSmallDisk } from './small-disk.ts'
import { openTestBed, sleep } from './test-bed.ts'

/** The database's disk full, then freed; where that ends PostgreSQL itself, it is started again. */
export const full: FaultTest = async ({ short }) => {
  const stage = await openTestBed('full', {
    mount: mountSmallDisk,
    settings: ['max_wal_size=48MB', 'min_wal_size=32MB'],
  })
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port], padding: 4_000 })
    await sleep(1_000)
    const ballast = path.join(stage.folder, 'postgres', 'ballast')
    const ended = await fill(ballast, short ? 4_000 : 15_000, stage.database.isUp)
    fs.rmSync(ballast)
    if (!stage.database.isUp()) await stage.database.start()
    await load.finish()
    if (!load.attempts.some(({ status }) => status === 503)) throw new Error('The disk was never full')
    return `${ended ? 'PostgreSQL ended' : 'PostgreSQL went on'}; ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
  }
}

/** Fills the disk, again and again. True when PostgreSQL ended meanwhile. */
async function fill(file: string, forMs: number, isUp: () => boolean): Promise<boolean> {
  const block = Buffer.alloc(64 * 1024)
  const ballast = fs.openSync(file, 'w')
  for (const until = Date.now() + forMs; Date.now() < until; await sleep(20)) {
    try {
      for (;;) fs.writeSync(ballast, block)
    } catch (error) {
      // Full, for now.
      if (!hasCode(error, 'ENOSPC')) throw error
    }
  }
  fs.closeSync(ballast)
  return !isUp()
}
