import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, mayHaveTakenEffect } from '#lib/platform/db/in-transaction.ts'
import { logOf } from '#lib/platform/log.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import { noteLostMonths } from '#lib/timeline/projector/lost-months.ts'
import { failureCause } from '#lib/timeline/projector/write-changes.ts'
import { cutoffsOf, type LogAges } from './plan-removal.ts'
import { type RemovalStep, RemovalWaits, removeMonths } from './remove-months.ts'

const log = logOf('retention')

/** The counts say what a run has removed. */
export interface Removed {
  readonly subjects: number
  readonly bodies: number
  readonly months: readonly string[]
  /** These months are empty, but not dropped yet: another session was reading the log. */
  readonly undropped: readonly string[]
}

export const nothingRemoved: Removed = { subjects: 0, bodies: 0, months: [], undropped: [] }

function addStep(removed: Removed, step: RemovalStep): Removed {
  if ('count' in step) return { ...removed, [step.kind]: removed[step.kind] + step.count }
  const list = step.kind === 'dropped' ? 'months' : 'undropped'
  return { ...removed, [list]: [...removed[list], step.month] }
}

/** A month that stays, because another session was reading the log, is tried again every ten minutes. */
const hasRemoved = ({ subjects, bodies, months }: Removed) => subjects + bodies + months.length > 0

/**
 * `removeAudited` removes what is older than the ages and records in the audit what a run has removed, however it ends.
 * `isAsked`: a person wants the run, so the audit also says that it began.
 */
export async function* removeAudited(
  pool: pg.Pool,
  ownerUrl: string,
  ages: LogAges,
  { isAsked }: { readonly isAsked: boolean },
): AsyncGenerator<{ readonly step: RemovalStep; readonly removed: Removed }, void> {
  let removed = nothingRemoved
  if (isAsked) await auditRemoval(pool, ages, 'begun')
  try {
    for await (const step of removeMonths(pool, ownerUrl, cutoffsOf(ages, new Date()))) {
      removed = addStep(removed, step)
      yield { step, removed }
    }
  } finally {
    if (isAsked || hasRemoved(removed)) await patiently(() => auditRemoval(pool, ages, 'done', removed))
  }
}

/** A database that starts again answers within some seconds, and what was removed must not stay out of the audit. */
async function patiently(record: () => Promise<void>): Promise<void> {
  for (let left = 20; ; left--) {
    try {
      return await record()
    } catch (error) {
      if (left === 0 || failureCause(error) !== 'machine' || mayHaveTakenEffect(error)) throw error
      await sleep(500)
    }
  }
}

/** The audit records that a run began, or what it removed. */
const auditRemoval = (
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

/** A run reads the settings again after this many milliseconds. */
const settingsMs = 2_000

/**
 * `removeOldMonths` removes what the settings do not keep. The run ends early when it `isStopping`, and when an admin changed
 * the ages. It throws the errors of the database.
 * @param ownerUrl the database's address for the tables' owner
 * @returns true when nothing is left to do
 */
export async function removeOldMonths(
  pool: pg.Pool,
  ownerUrl: string,
  isStopping: () => boolean,
): Promise<boolean> {
  if ((await noteLostMonths(pool)).length > 0) return true
  const ages = await readAges()
  if (ages.bodies === null && ages.events === null) return true
  let settingsAt = performance.now()
  try {
    for await (const { step } of removeAudited(pool, ownerUrl, ages, { isAsked: false })) {
      if (step.kind === 'dropped') log.info({ month: step.month }, 'An old month of the log was removed')
      if (isStopping()) return false
      if (performance.now() - settingsAt < settingsMs) continue
      settingsAt = performance.now()
      const now = await readAges()
      if (now.bodies !== ages.bodies || now.events !== ages.events) return false
    }
    return true
  } catch (error) {
    if (!(error instanceof RemovalWaits)) throw error
    log.info({ err: error }, 'Old months of the log are still to be removed')
    return false
  }
}

async function readAges(): Promise<LogAges> {
  const { bodies = null, events = null } = (await readSettings()).logMonths
  return { bodies, events }
}
