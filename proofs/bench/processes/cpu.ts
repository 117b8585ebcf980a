import fs from 'node:fs'

/** Clock ticks a second in `/proc`, the same on every Linux that Node runs on. */
const ticks = 100

/** Seconds of processor time that a PostgreSQL server has used, by every backend there was; NaN without `/proc`. */
export function cpuSecondsOf(postmaster: number): number {
  if (!fs.existsSync('/proc/self/stat')) return Number.NaN
  let sum = 0
  for (const name of fs.readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(name) : undefined
    if (!stat) continue
    if (Number(name) === postmaster) sum += stat.own + stat.ended
    else if (stat.parent === postmaster) sum += stat.own
  }
  return sum / ticks
}

/** Milliseconds of processor time that these processes have used so far; one that has ended counts for nothing. */
export const cpuMsOf = (pids: readonly string[]): number =>
  pids.reduce((sum, pid) => sum + (readStat(pid)?.own ?? 0), 0) * (1_000 / ticks)

/** Fields 4, and 14 to 17 of `/proc/PID/stat`; a process may end while it is looked at. */
function readStat(pid: string) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const at = (field: number) => Number(fields[field - 3])
    return { parent: at(4), own: at(14) + at(15), ended: at(16) + at(17) }
  } catch {
    return undefined
  }
}
