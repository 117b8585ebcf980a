import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { createFile, findText } from './folders.ts'

export class AlreadyRunningError extends OperatorError {}

/**
 * The file `rampart.pid` holds a folder for this process alone until the returned function is called. The function throws an
 * `AlreadyRunningError` while a living process holds this very folder. A killed process does not count, nor does the holder
 * of the original of a copied folder. Finding out that one of another container or start of the machine has ended takes
 * `stillMs`.
 */
export function lockFolder(folder: string, words: (pid: number) => string): () => void {
  const lock = path.join(folder, 'rampart.pid')
  const mine = [process.pid, startOf(process.pid) ?? '', idOfFolder(folder), space].join(' ').trimEnd()
  while (!write(lock, mine)) {
    const text = holderIn(lock)
    if (text === undefined) continue
    const [pid, , held] = text.split(' ')
    // Older versions named no folder.
    const isOfCopy = !isElsewhere(text) && (held ?? idOfFolder(folder)) !== idOfFolder(folder)
    if (!isOfCopy && lives(lock, text)) throw new AlreadyRunningError(words(Number(pid)))
    remove(lock, text, mine)
  }
  const stopTouching = keepTouching(lock, mine)
  return () => {
    stopTouching()
    if (findText(lock) === mine) fs.rmSync(lock, { force: true })
  }
}

/** A holder touches its lock this often, in milliseconds. One that others cannot see has ended when it did not for `stillMs`. */
const touchMs = 2_000
const stillMs = 10_000

function keepTouching(lock: string, mine: string): () => void {
  let said = false
  const touch = () => {
    try {
      if (findText(lock) === mine) fs.utimesSync(lock, new Date(), new Date())
    } catch (error) {
      if (!said) console.error(`${lock} cannot be touched: ${error instanceof Error ? error.message : error}`)
      said = true
    }
  }
  const timer = setInterval(touch, touchMs).unref()
  return () => clearInterval(timer)
}

/**
 * Numbers of processes mean something among the processes of one container, until the machine starts again. The name of both
 * is empty where the system has none.
 */
const space = spaceOfProcesses()

function spaceOfProcesses(): string {
  try {
    return `${fs.readlinkSync('/proc/self/ns/pid')}:${findText('/proc/sys/kernel/random/boot_id')?.trim()}`
  } catch {
    return ''
  }
}

/** Older versions named no space, and meant their own. */
function isElsewhere(text: string): boolean {
  const [, , , theirs = space] = text.split(' ')
  return theirs !== space
}

/** Device and inode stay the same when the folder moves, and differ in a copy of it. */
export function idOfFolder(folder: string): string {
  const { dev, ino } = fs.statSync(folder, { bigint: true })
  return `${dev}:${ino}`
}

/** The result is also false when another process took a dead one's lock before this one was written. */
const write = (lock: string, mine: string) =>
  createFile(lock, mine, 'owner of the folder') && findText(lock) === mine

/**
 * The result is the text of a lock, or undefined when it has gone. An empty lock is just being written, unless it stays
 * empty.
 */
function holderIn(lock: string): string | undefined {
  let text = findText(lock)
  for (let tries = 0; text === '' && tries < 20; tries++) {
    sleep(50)
    text = findText(lock)
  }
  if (text !== undefined && !/^(\d+ \S*( \d+:\d+( pid:\S+)?)?)?$/.test(text))
    throw new OperatorError(
      `${lock} is not Rampart's. Move it elsewhere, or set RAMPART_DATA_DIR to another folder.`,
    )
  return text
}

function lives(lock: string, text: string): boolean {
  if (isElsewhere(text)) return isTouched(lock, text)
  const [pid, started] = text.split(' ')
  const living = startOf(Number(pid))
  return living !== undefined && (started === '' || started === living)
}

/** These holders elsewhere have ended. Most held two locks, of which one wait is enough. */
const ended = new Set<string>()

/**
 * The function watches the lock of a holder that cannot be seen. It trusts no clock, because that of the holder's machine may
 * differ.
 */
function isTouched(lock: string, text: string): boolean {
  const [pid, started, held, theirs] = text.split(' ')
  const holder = `${pid} ${started} ${theirs}`
  const before = touchedAt(lock)
  for (let watched = 0; watched < stillMs && !ended.has(holder); watched += 100) {
    sleep(100)
    if (touchedAt(lock) !== before) return findText(lock) === text
  }
  // The holder of the original of a copied folder may live.
  if (held === idOfFolder(path.dirname(lock))) ended.add(holder)
  return false
}

const touchedAt = (lock: string) => fs.statSync(lock, { bigint: true, throwIfNoEntry: false })?.mtimeNs

/**
 * The function removes a dead process's lock. Several processes may see the same lock, and the first may have written its
 * own meanwhile. One at a time checks again and removes it, under a lock of its own.
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
  if (text !== undefined && !lives(turn, text)) remove(turn, text, mine)
  else sleep(5)
}

const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * The result is the start time of a living process in the system's own form, because numbers are used again. It is undefined
 * when the process has ended.
 */
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
