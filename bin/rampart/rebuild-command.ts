import { noCallSource } from '#lib/access/request-context.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'
import { rebuild } from '#lib/timeline/projector/rebuild.ts'
import { databaseAddress } from './database-address.ts'
import { ProgressRate, progressLine } from './progress-rate.ts'

/**
 * Rebuilds until done or interrupted. Where Rampart runs, its projectors do the work, and go on when this is
 * interrupted; where it does not, a projector of our own does.
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
