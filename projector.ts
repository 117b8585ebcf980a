import type pg from 'pg'
import { poolSizes } from '#lib/platform/db/pool-sizes.ts'
import { requireReachable } from '#lib/platform/db/require-reachable.ts'
import { env } from '#lib/platform/env.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { measurePools, measureProcess, ownTotal, reportMetrics } from '#lib/platform/metrics.ts'
import { logStart } from '#lib/platform/release.ts'
import { startTracing } from '#lib/platform/tracing.ts'
import { foldCounts, giveWay } from '#lib/timeline/projector/batch-limits.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'

const log = logOf('projector')

// This process folds deliveries, and the process beside it answers them. Several projectors may run, here and on other
// machines.

process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())
process.on('disconnect', () => void stop()) // The parent process has ended.

// Node would print the error as it is, line breaks included. An unhandled rejection arrives here too.
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'The projector ends by an error that nobody expected')
  void stop(1)
})

/** The shutdown is aborted after this many milliseconds. A delivery that was not written is still pending. */
const patience = 10_000

/** A send fails only when the parent process has ended, and then this process ends too. */
const leaveToDisconnect = () => undefined

let stopping = false
giveWay()
logStart('projector')
const starting = start()

try {
  const { pool } = await starting
  process.send?.({ kind: 'ready' })
  measure(pool)
  // The parent process ends a process that stops sending this.
  setInterval(() => process.send?.({ kind: 'alive' }, undefined, undefined, leaveToDisconnect), 2_000).unref()
} catch (error) {
  log.fatal({ err: error }, 'The projector did not start')
  const line = messageOfError(error)
  process.send?.({ kind: 'failed', line }, () => process.exit(1)) ?? process.exit(1)
}

/** The parent process passes the metrics on to the server. */
function measure(pool: pg.Pool) {
  measureProcess()
  measurePools(() => ({ projector: pool }))
  ownTotal(
    { name: 'rampart_folded_deliveries_total', help: 'Deliveries folded by this process' },
    () => foldCounts.deliveries,
  )
  ownTotal(
    { name: 'rampart_fold_batches_total', help: 'Batches of deliveries written by this process' },
    () => foldCounts.batches,
  )
  ownTotal(
    { name: 'rampart_fold_seconds_total', help: 'Seconds in which this process wrote batches' },
    () => foldCounts.seconds,
  )
  ownTotal(
    { name: 'rampart_fold_interruptions_total', help: 'Errors after which this process began anew' },
    () => foldCounts.interruptions,
  )
  reportMetrics((metrics) =>
    process.send?.({ kind: 'metrics', metrics }, undefined, undefined, leaveToDisconnect),
  )
}

async function start() {
  const { databaseDirectUrl } = env()
  await startTracing('projector')
  await requireReachable('DATABASE_DIRECT_URL', databaseDirectUrl)
  return startProjector({ url: databaseDirectUrl, connections: poolSizes().projector })
}

async function stop(code = 0) {
  if (stopping) return
  stopping = true
  setTimeout(() => process.exit(code), patience).unref()
  const projector = await starting.catch(neverStarted)
  await projector?.stop()
  process.exit(code)
}

/** The start has already logged the reason. */
function neverStarted(): null {
  return null
}
