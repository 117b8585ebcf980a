import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { logOf } from '#lib/platform/log.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import { noteLostMonths } from '#lib/timeline/projector/lost-months.ts'
import { cutoffsOf, type LogAges } from './plan-removal.ts'
import { type RemovalStep, RemovalWaits, removeMonths } from './remove-months.ts'

const log = logOf('retention')

/** Counts of what a run has removed. */
export interface Removed {
  readonly subjects: number
  readonly bodies: number
  readonly months: readonly string[]
  /** Empty, but not dropped yet: somebody read the log. */
  readonly undropped: readonly string[]
}

export const nothingRemoved: Removed = { subjects: 0, bodies: 0, months: [], undropped: [] }

export function addStep(removed: Removed, step: RemovalStep): Removed {
  if ('count' in step) return { ...removed, [step.kind]: removed[step.kind] + step.count }
  const list = step.kind === 'dropped' ? 'months' : 'undropped'
  return { ...removed, [list]: [...removed[list], step.month] }
}

/** Enters into the audit that a run began, or what it removed. */
export const auditRemoval = (
  pool: pg.Pool,
  { bodies, events }: LogAges,
  outcome: 'begun' | 'done',
  removed: Removed = nothingRemoved,
): Promise<void> =>
  inTransaction(pool, (tx) => {
    const ages = { bodies: bodies ?? 'for good', events: events ?? 'for good' }
    const counts = { subjects: removed.subjects, bodiesRemoved: removed.bodies, months: removed.months }
    const details = outcome === 'begun' ? ages : { ...ages, ...counts }
    return recordAudit(
      tx,
      { actor: commandLine, action: 'log.remove-months', outcome, details },
      noCallSource,
    )
  })

/** Milliseconds of one round, from a finished run to the next, and after one that had to wait. */
const roundMs = 2_000
const day = 24 * 3_600_000
const retryAfter = 600_000

/** Removes what the settings do not keep, a little in each call. */
export interface MonthRemover {
  /** Works for about two seconds; does nothing for a day after everything was removed. Throws no error of the database. */
  work(): Promise<void>
}

/** @param ownerUrl of the tables' owner */
export function openMonthRemover(pool: pg.Pool, ownerUrl: string): MonthRemover {
  let dueAt = Number.NEGATIVE_INFINITY
  let run: { readonly ages: LogAges; readonly steps: AsyncGenerator<RemovalStep, void> } | null = null
  let removed = nothingRemoved

  /** Ends a run, so that another process, or the next call, may begin one. */
  async function end(again: number) {
    const ended = run
    run = null
    dueAt = performance.now() + again
    await ended?.steps.return()
    if (ended && removed !== nothingRemoved) await auditRemoval(pool, ended.ages, 'done', removed)
    removed = nothingRemoved
  }

  return {
    async work() {
      if (!run && performance.now() < dueAt) return
      try {
        if (!run) {
          const lost = await noteLostMonths(pool)
          if (lost.length > 0) return await end(retryAfter)
        }
        const { bodies = null, events = null } = (await readSettings()).logMonths
        // An age that was changed meanwhile holds from now on.
        if (run && (run.ages.bodies !== bodies || run.ages.events !== events)) await end(0)
        if (bodies === null && events === null) return await end(retryAfter)
        const ages = { bodies, events }
        run ??= { ages, steps: removeMonths(pool, ownerUrl, cutoffsOf(ages, new Date())) }
        const until = performance.now() + roundMs
        while (performance.now() < until) {
          const { value, done } = await run.steps.next()
          if (done) return await end(day)
          removed = addStep(removed, value)
          if (value.kind === 'dropped')
            log.info({ month: value.month }, 'An old month of the log was removed')
        }
      } catch (error) {
        const level = error instanceof RemovalWaits ? 'info' : 'warn'
        log[level]({ err: error }, 'Old months of the log are still to be removed; it is tried again')
        await end(retryAfter)
      }
    },
  }
}
