import { noCallSource } from '../../lib/access/caller.ts'
import { commandLine, recordAudit } from '../../lib/audit/record-audit.ts'
import { listDeadLetters } from '../../lib/deliveries/queue/read-queue-state.ts'
import { retryDeadLetters } from '../../lib/operations/dead-letters/retry-dead-letters.ts'
import { readUnsaidRestore, unsaidRestoreWords } from '../../lib/operations/restore/notice-restore.ts'
import { readMailHealth } from '../../lib/operations/settings/read-mail-health.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { type MailHealth, mailTrouble } from '../../lib/platform/rules/mail-states.ts'
import { findLostMonths, sayLost } from '../../lib/timeline/projector/lost-months.ts'
import { startProjector } from '../../lib/timeline/projector/projector.ts'
import { readBacklog } from '../../lib/timeline/projector/read-backlog.ts'
import { rebuild } from '../../lib/timeline/projector/rebuild.ts'
import { formatPlainDuration } from '../../lib/words/labels/duration.ts'
import { databaseAddress } from './database-address.ts'

/** The command prints the projector's figures, one a line. */
export async function statusCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const { waiting, oldestSeconds, deadLetters, active, rebuild, outdated } = await readBacklog(pool)
    const age = oldestSeconds === null ? '' : `, the oldest for ${formatPlainDuration(oldestSeconds)}`
    console.log(`waiting       ${waiting}${age}`)
    console.log(`dead letters  ${deadLetters}`)
    console.log(`projector     ${active ? 'active' : 'none is active'}`)
    console.log(
      `rebuild       ${rebuild === null ? 'none' : `under way: ${rebuild.done} of ${rebuild.total}`}`,
    )
    console.log(`rules         ${outdated ? older : 'those of this version'}`)
    const mail = await readMailHealth(pool)
    console.log(`mail          ${mailInWords(mail)}`)
    const restored = await readUnsaidRestore(pool)
    if (restored) console.log(unsaidRestoreWords)
    const lost = await findLostMonths(pool)
    console.log(`log           ${lost.length === 0 ? 'whole' : 'not whole'}`)
    if (lost.length > 0) console.error(sayLost(lost))
    const isWell = active && deadLetters === 0 && !restored && lost.length === 0
    return isWell && mailTrouble(mail) === null ? 0 : 1
  } finally {
    await pool.end()
  }
}

function mailInWords({ waiting, lateSince, lost, lastFault }: MailHealth): string {
  const seconds = lateSince === null ? 0 : (Date.now() - Date.parse(lateSince)) / 1_000
  const late = lateSince === null ? '' : `, the oldest for ${formatPlainDuration(seconds)}`
  const missed = lost === 0 ? '' : `, ${lost} of the last day may have reached nobody`
  const fault = (lateSince !== null || lost > 0) && lastFault !== null ? `: ${lastFault.answer}` : ''
  return `${waiting} waiting${late}${missed}${fault}`
}

const older =
  'other than those of this version: everything is folded again as soon as Rampart runs, or by "npm run rampart rebuild"'

/**
 * The command rebuilds until done or interrupted. Where Rampart runs, its projectors do the work, and continue after an
 * interruption. Otherwise a projector of the command does it.
 */
export async function rebuildCommand(): Promise<number> {
  const url = databaseAddress()
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())
  const pool = openPool(url, 2)
  const projector = await startProjector({ url, onlyWhenAlone: true })
  const pace = new ProgressRate()
  const show = progressLine()
  try {
    const began = performance.now()
    const end = await rebuild(pool, {
      signal: interrupted.signal,
      onProgress: (progress) => show(() => pace.line(progress, performance.now())),
      onBegin: (tx, target) =>
        recordAudit(
          tx,
          { actor: commandLine, action: 'rebuild.start', target, outcome: 'done' },
          noCallSource,
        ),
    })
    if (process.stdout.isTTY) process.stdout.write('\n')
    if (end.kind === 'interrupted') {
      console.log(
        `Interrupted at ${end.done} of ${end.total}. It goes on while Rampart runs, or when this is run again.`,
      )
      return 130
    }
    const seconds = Math.round((performance.now() - began) / 1000)
    console.log(`${end.done} deliveries were rebuilt in ${seconds} s.`)
    if (end.kept > 0)
      console.log(
        `${end.kept} of them are not in the log any more: their rows were made from what is kept of them.`,
      )
    if (end.deadLetters > 0) console.error(`${end.deadLetters} could not be folded and are dead letters now.`)
    return end.deadLetters > 0 ? 1 : 0
  } finally {
    await projector.stop()
    await pool.end()
  }
}

const most = 100

/** The command prints which deliveries could not be folded and why, but never their content, which may be personal. */
export async function deadLettersCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const found = await listDeadLetters(pool, most + 1)
    for (const { deliveryId, receivedAt, since, error, bytes } of found.slice(0, most)) {
      console.log(
        `${deliveryId}  ${bytes} bytes, received ${time(receivedAt)}, dead letter since ${time(since)}`,
      )
      console.log(`  ${error}`)
    }
    if (found.length === 0) console.log('There are no dead letters.')
    else if (found.length > most) console.log(`Only the first ${most} are shown.`)
    return found.length === 0 ? 0 : 1
  } finally {
    await pool.end()
  }
}

const time = (at: Date | null) => at?.toISOString() ?? 'at a time no longer known'

/** The command gives the dead letters back to the projector. */
export async function retryCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const retried = await retryDeadLetters(pool, { actor: commandLine }, noCallSource)
    console.log(
      retried === 0
        ? 'There are no dead letters.'
        : `${retried} given back to the projector; "dead-letters" shows what fails again.`,
    )
    return 0
  } finally {
    await pool.end()
  }
}

/** The rate is taken over this many milliseconds. */
const span = 10_000

/** The rate says how fast a long work proceeds, and how much longer it takes. */
export class ProgressRate {
  readonly #seen: { readonly at: number; readonly done: number }[] = []

  /** `now` is in milliseconds from any beginning. */
  line({ done, total }: { readonly done: number; readonly total: number }, now: number): string {
    this.#seen.push({ at: now, done })
    while (this.#seen[1] && now - this.#seen[1].at >= span) this.#seen.shift()
    const share = total === 0 ? 100 : Math.floor((100 * done) / total)
    return [`${done} of ${total} deliveries (${share} %)`, ...this.#prospect(total - done)].join(', ')
  }

  #prospect(left: number): string[] {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)]
    if (!first || !last || last.at === first.at || last.done <= first.done) return []
    const perSecond = (1000 * (last.done - first.done)) / (last.at - first.at)
    return [
      `${Math.round(perSecond)} a second`,
      `about ${formatPlainDuration(Math.ceil(left / perSecond))} left`,
    ]
  }
}

/** A terminal gets one line that changes, and other output a line every few seconds. */
export function progressLine(): (line: () => string) => void {
  const { isTTY } = process.stdout
  const every = isTTY ? 200 : 5_000
  let last = Number.NEGATIVE_INFINITY
  return (line) => {
    if (performance.now() - last < every) return
    last = performance.now()
    process.stdout.write(isTTY ? `\r${line()}\u001b[K` : `${line()}\n`)
  }
}
