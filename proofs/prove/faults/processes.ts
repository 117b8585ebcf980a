import fs from 'node:fs'

interface Process {
  readonly pid: number
  readonly words: string[]
}

/** The list has a process's living children, from /proc, because a bare system has no `ps`. */
export function childrenOf(parent: number): Process[] {
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
