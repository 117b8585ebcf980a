import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { findText } from './folders.ts'
import { idOfFolder } from './process-lock.ts'

export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** False where Rampart did not start it, or the system does not show in which folder it works. */
  readonly ours: boolean
}

/** How Rampart starts PostgreSQL, and knows by its command that it did. */
export const postmasterWords = (dataDir: string, port: number): string[] =>
  ['-D', dataDir, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'].concat([
    '-c',
    'unix_socket_directories=',
  ])

/**
 * The PostgreSQL that works in a folder; null when none does. `postmaster.pid` outlives a `kill -9`, its number may
 * belong to another process by now, and in a copied folder it names the PostgreSQL of the original.
 */
export function findPostmaster(dataDir: string): Postmaster | null {
  const [number = '', , , port] = findText(path.join(dataDir, 'postmaster.pid'))?.split('\n') ?? []
  const pid = Number(number)
  const [program = '', ...words] = Number.isInteger(pid) && pid > 0 ? commandOf(pid) : []
  if (path.basename(program) !== 'postgres') return null
  const named = words[1]
  const shaped =
    named !== undefined && postmasterWords(named, Number(words[3])).every((word, n) => words[n] === word)
  const here = worksIn(pid, shaped ? named : undefined, dataDir)
  return here === false ? null : { pid, port: Number(port), ours: here === true && shaped }
}

/** Stops the PostgreSQL that a killed Rampart left behind in this folder, and no other. */
export async function stopOrphan(dataDir: string): Promise<void> {
  const found = findPostmaster(dataDir)
  if (!found) return fs.rmSync(path.join(dataDir, 'postmaster.pid'), { force: true })
  const { pid, ours } = found
  if (!ours)
    throw new OperatorError(
      `${dataDir}/postmaster.pid names a PostgreSQL (process ${pid}) that Rampart did not start, or cannot tell from another. Stop it first: kill -INT ${pid}`,
    )
  process.kill(pid, 'SIGINT')
  for (let waited = 0; findPostmaster(dataDir)?.pid === pid; waited += 50) {
    if (waited > 15_000)
      throw new OperatorError(
        `The PostgreSQL that an earlier start left in ${dataDir} (process ${pid}) does not end. Stop it first: kill -QUIT ${pid}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** PostgreSQL changes into its folder, so that a moved one is still known; undefined where neither place is shown. */
function worksIn(pid: number, named: string | undefined, dataDir: string): boolean | undefined {
  const folder = idOf(`/proc/${pid}/cwd`)
  if (folder !== undefined) return folder === idOfFolder(dataDir)
  if (named === undefined) return undefined
  if (idOf(named) === idOfFolder(dataDir)) return true
  const [holder] = findText(path.join(named, 'postmaster.pid'))?.split('\n') ?? []
  return Number(holder) === pid ? false : undefined
}

function idOf(folder: string): string | undefined {
  try {
    return idOfFolder(folder)
  } catch {
    return undefined
  }
}

/** The command of a process, word by word; none when it has ended. */
function commandOf(pid: number): string[] {
  if (fs.existsSync('/proc/self/cmdline')) return findText(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  const [, program = stdout.trim(), dataDir, more = ''] =
    /^(.*?) -D (.+?) (-p \d+ .*)$/s.exec(stdout.trim()) ?? []
  return [program, ...(dataDir === undefined ? [] : ['-D', dataDir]), ...more.split(' ')]
}
