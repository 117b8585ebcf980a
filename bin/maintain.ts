import { setTimeout as sleep } from 'node:timers/promises'
import { removeOldMonths } from '#lib/operations/retention/month-remover.ts'
import { grantToApplication } from '#lib/platform/db/application-role.ts'
import { requireMayMigrate } from '#lib/platform/db/check-databases.ts'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { makeMissingMonths } from '#lib/platform/db/month-keeper.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { logStart, release, releaseInWords } from '#lib/platform/release.ts'

// This program alone has the rights of the role that owns the tables. It answers no requests, and ends when its work is
// done. `migrate` runs before the server starts. `months` runs from time to time, with the release that was started. Decision
// 0145.

const log = logOf('maintenance')
let stopping = false
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => void stop())

const [, , work, startedRelease] = process.argv
try {
  logStart('maintenance')
  const { databaseMigrateUrl } = env()
  if (work === 'migrate') await migrate(databaseMigrateUrl)
  else if (startedRelease === undefined || startedRelease === releaseInWords(release()))
    await keepMonths(databaseMigrateUrl)
  else leaveToNextStart(startedRelease)
} catch (error) {
  log.fatal({ err: error }, 'The database was not maintained')
  const line = messageOfError(error)
  process.send?.({ kind: 'failed', line }, () => process.exit(1)) ?? process.exit(1)
}

/** The schema is complete afterwards, except for indexes, which are built beside the traffic. */
async function migrate(ownerUrl: string) {
  await requireMayMigrate(ownerUrl)
  await applyMigrations(ownerUrl, { concurrent: 'no' })
  await grantToApplication(ownerUrl, pool())
  // A job of its own, as in a container, has no parent process to tell.
  process.send?.({ kind: 'ready' }, () => process.exit(0)) ?? process.exit(0)
}

/**
 * An upgrade has changed the files of a running Rampart. The new schema waits for the new version, so that the old one can
 * still come back.
 */
function leaveToNextStart(started: string) {
  log.info(
    { started },
    'The files have another release than Rampart was started with: the next start goes on',
  )
  const end = () => process.exit(0)
  process.send?.({ kind: 'ready' }, end) ?? end()
}

/** Each step runs whether or not the step before it succeeded. The exit code is 1 when something is left to do. */
async function keepMonths(ownerUrl: string) {
  process.send?.({ kind: 'ready' })
  const indexes = await attempt('Indexes are still to be built', () => buildIndexes(ownerUrl))
  const months = await attempt('Months of the delivery log are still to be made', () =>
    makeMissingMonths(ownerUrl, new Date(), () => stopping),
  )
  const old = await attempt('Old months of the log are still to be removed', () =>
    removeOldMonths(pool(), ownerUrl, () => stopping),
  )
  process.exit(indexes && months && old ? 0 : 1)
}

async function attempt(left: string, work: () => Promise<boolean>): Promise<boolean> {
  if (stopping) return false
  return (await work().catch(noting(log)('warn', left))) ?? false
}

/** PostgreSQL finishes an index whose connection is gone, and the next run continues from there. */
async function buildIndexes(ownerUrl: string): Promise<boolean> {
  await applyMigrations(ownerUrl)
  return true
}

/** A migration is undone and runs again at the next start. A step of another run may finish. */
async function stop() {
  stopping = true
  if (work === 'migrate') process.exit(1)
  await sleep(5_000, undefined, { ref: false })
  process.exit(1)
}
