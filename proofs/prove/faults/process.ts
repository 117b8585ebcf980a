import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'

/** A process reports when it is ready, and can be started again. */
export interface Process {
  start(): Promise<void>
  /** The promise settles when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** The promise settles when the process has ended by itself. */
  ended(): Promise<void>
  freeze(): void
  thaw(): void
  /** The memory is in megabytes, now and at most. */
  memory(): Memory
}

export interface Memory {
  readonly now: number
  readonly most: number
}

/** The process runs a file of this folder, with its arguments. */
export function processOf(
  file: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
  logFile: string,
): Process {
  let child: ChildProcess | undefined
  return {
    async start() {
      const log = fs.openSync(logFile, 'a')
      const started = fork(path.join(import.meta.dirname, file), words, {
        execArgv: ['--import', path.join(import.meta.dirname, '../../../bin/hooks.mjs')],
        env: { ...process.env, ...variables },
        stdio: ['ignore', log, log, 'ipc'],
      })
      fs.closeSync(log)
      child = started
      await new Promise((resolve, reject) => {
        started.once('message', resolve)
        started.once('exit', (code) => reject(new Error(`${file} ended while starting (${code})`)))
      })
    },
    async kill(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
    },
    async ended() {
      if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    memory() {
      const status = fs.readFileSync(`/proc/${child?.pid}/status`, 'utf8')
      const megabytes = (name: string) =>
        Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024)
      return { now: megabytes('VmRSS'), most: megabytes('VmHWM') }
    },
  }
}

/** The processes run, and are killed, together. */
export const together = (processes: readonly Process[]): Process => ({
  start: async () => void (await Promise.all(processes.map((one) => one.start()))),
  kill: async (signal) => void (await Promise.all(processes.map((one) => one.kill(signal)))),
  ended: async () => void (await Promise.all(processes.map((one) => one.ended()))),
  freeze: () => processes.forEach((one) => void one.freeze()),
  thaw: () => processes.forEach((one) => void one.thaw()),
  memory() {
    const all = processes.map((one) => one.memory())
    const sum = (figure: keyof Memory) => all.reduce((total, one) => total + one[figure], 0)
    return { now: sum('now'), most: sum('most') }
  },
})

interface Child {
  readonly pid: number
  readonly words: string[]
}

/** The list has a process's living children, from /proc, because a bare system has no `ps`. */
export function childrenOf(parent: number): Child[] {
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent)
    .map((pid) => ({ pid, words: (read(`/proc/${pid}/cmdline`) ?? '').split('\0').filter(Boolean) }))
}

/**
 * The process has not ended. One whose parent has ended stays in /proc where the first process does not wait for it, as in a
 * container.
 */
export function isRunning(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`)
  return stat !== null && !stat.slice(stat.lastIndexOf(')')).startsWith(') Z')
}

/** The result is the process that this supervisor started for `file`. */
export function childOf(parent: number, file: string): number {
  const child = childrenOf(parent).find(({ words }) => words.at(-1) === file)
  if (!child) throw new Error(`No ${file} below process ${parent}`)
  return child.pid
}

function parentOf(pid: number): number | undefined {
  // The name before it is in brackets and may contain any character.
  const stat = read(`/proc/${pid}/stat`)
  return stat === null ? undefined : Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])
}

/** The result is null when the process has just ended. */
function read(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
