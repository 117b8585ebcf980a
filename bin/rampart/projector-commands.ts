import { noCallSource } from '../../lib/access/caller.ts'
import { commandLine, recordAudit } from '../../lib/audit/record-audit.ts'
import { listDeadLetters } from '../../lib/deliveries/queue/read-queue-state.ts'
import { retryDeadLetters } from '../../lib/operations/dead-letters/retry-dead-letters.ts'
import { settleMonthsBack } from '../../lib/people/erasure/months-back.ts'
import { distributeTables } from '../../lib/platform/db/distribute.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { startProjector } from '../../lib/timeline/projector/projector.ts'
import { rebuild } from '../../lib/timeline/projector/rebuild.ts'
import { databaseAddress, ownerAddress } from './database-address.ts'
import { ProgressRate, progressLine } from './progress.ts'

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
    await settleMonthsBack(pool)
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

/** The command spreads the tables over the servers of a Citus cluster; it can be repeated. */
export async function distributeCommand(): Promise<number> {
  await distributeTables(ownerAddress(), ({ table, kind, changed }) => {
    const by = kind === 'reference' ? 'a copy on every server' : 'spread by subject'
    console.log(`${table.padEnd(18)}${by}${changed ? '' : ', as before'}`)
  })
  return 0
}
