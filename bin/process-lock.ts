import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { createFile, findText } from './folders.ts'

export class AlreadyRunningError extends OperatorError {}

/**
 * Holds a folder for this process alone, by the file `rampart.pid` in it, until the returned function is called. Throws
 * an `AlreadyRunningError` with the words for the holder's number when a living process holds this very folder: a
 * process that was killed does not count, nor the holder of a folder that this one is a copy of.
 */
export function lockFolder(folder: string, words: (pid: number) => string): () => void {
  const lock = path.join(folder, 'rampart.pid')
  const mine = `${process.pid} ${startOf(process.pid) ?? ''} ${idOfFolder(folder)}`
  while (!write(lock, mine)) {
    const text = holderIn(lock)
    if (text === undefined) continue
    const [pid, , held] = text.split(' ')
    // Older versions named no folder.
    if (lives(text) && (held ?? idOfFolder(folder)) === idOfFolder(folder))
      throw new AlreadyRunningError(words(Number(pid)))
    remove(lock, text, mine)
  }
  return () => {
    if (findText(lock) === mine) fs.rmSync(lock, { force: true })
  }
}

/** Device and inode: the same after the folder was moved, another for a copy of it. */
export function idOfFolder(folder: string): string {
  const { dev, ino } = fs.statSync(folder, { bigint: true })
  return `${dev}:${ino}`
}

/** False also when another took the lock for a dead one's before it was written. */
const write = (lock: string, mine: string) =>
  createFile(lock, mine, 'owner of the folder') && findText(lock) === mine

/** The text of a lock; undefined when it has gone. One that is empty is just being written, unless it stays so. */
function holderIn(lock: string): string | undefined {
  let text = findText(lock)
  for (let tries = 0; text === '' && tries < 20; tries++) {
    sleep(50)
    text = findText(lock)
  }
  if (text !== undefined && !/^(\d+ \S*( \d+:\d+)?)?$/.test(text))
    throw new OperatorError(
      `${lock} is not Rampart's. Move it elsewhere, or set RAMPART_DATA_DIR to another folder.`,
    )
  return text
}

function lives(text: string): boolean {
  const [pid, started] = text.split(' ')
  const living = startOf(Number(pid))
  return living !== undefined && (started === '' || started === living)
}

/**
 * Removes a dead process's lock. Others may see the same one at the same moment, and the first may have written its own
 * meanwhile: one at a time looks once more and removes, which is itself done under a lock.
 */
function remove(lock: string, dead: string, mine: string) {
  const turn = `${lock}.stale`
  if (write(turn, mine)) {
    try {
      if (findText(lock) === dead) fs.rmSync(lock)
    } finally {
      fs.rmSync(turn)
    }
    return
  }
  const text = holderIn(turn)
  if (text !== undefined && !lives(text)) remove(turn, text, mine)
  else sleep(5)
}

const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** When a living process was started, in the system's own form, since numbers are used again; undefined when it has ended. */
function startOf(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  if (fs.existsSync('/proc/self/stat')) {
    const stat = findText(`/proc/${pid}/stat`)
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields?.[0] === 'Z' ? undefined : fields?.[19]
  }
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim().replaceAll(/\s+/g, '_') || undefined
}
