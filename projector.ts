import { poolSizes } from '#lib/platform/db/pool-sizes.ts'
import { requireReachable } from '#lib/platform/db/require-reachable.ts'
import { env } from '#lib/platform/env.ts'
import { logOf } from '#lib/platform/log.ts'
import { giveWay } from '#lib/timeline/projector/give-way.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'

const log = logOf('projector')

// A process that folds deliveries, beside the one that answers them. Several may run, here and on other machines.

process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())
process.on('disconnect', () => void stop()) // whoever started us has died

// Node would print it as it is, line breaks and all. So comes a rejection that nobody handles.
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'The projector ends by an error that nobody expected')
  void stop(1)
})

/** Milliseconds after which a hanging shutdown is aborted: whatever was not written is still pending. */
const patience = 10_000

/** Whoever hears us no more has died, and we end. */
const leaveToDisconnect = () => undefined

let stopping = false
giveWay()
const starting = start()

try {
  await starting
  process.send?.({ kind: 'ready' })
  // Whoever started us ends a process that is stuck.
  setInterval(() => process.send?.({ kind: 'alive' }, undefined, undefined, leaveToDisconnect), 2_000).unref()
} catch (error) {
  log.fatal({ err: error }, 'The projector did not start')
  const line = error instanceof Error ? error.message : String(error)
  process.send?.({ kind: 'failed', line }, () => process.exit(1)) ?? process.exit(1)
}

async function start() {
  const { databaseDirectUrl } = env()
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

/** The start has said why. */
function neverStarted(): null {
  return null
}
