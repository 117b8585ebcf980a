import { type HandedOver, holdConnection } from '#lib/live/hold-connection.ts'
import type { LiveProcessMessage } from '#lib/live/live-process.ts'
import { openStreams } from '#lib/live/streams.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { logOf } from '#lib/platform/log.ts'
import { measurePools, measureProcess, reportMetrics } from '#lib/platform/metrics.ts'
import { logStart } from '#lib/platform/release.ts'

const log = logOf('live')

// This process holds the live streams, and the process that answers hands their connections over to it. A write to a
// thousand pages therefore delays no delivery.

process.on('SIGTERM', () => process.exit(0))
process.on('SIGINT', () => process.exit(0))
process.on('disconnect', () => process.exit(0)) // The parent process has ended.

// Node would print the error as it is, line breaks included. An unhandled rejection arrives here too. Browsers reconnect by
// themselves.
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'The process of the streams ends by an error that nobody expected')
  process.exit(1)
})

logStart('live')
measureProcess()
measurePools(() => ({ live: globalThis.rampartPool }))

/** A send fails only when the parent process has ended, and then this process ends too. */
const leaveToDisconnect = () => undefined

const say = (message: LiveProcessMessage) => process.send?.(message, undefined, undefined, leaveToDisconnect)

const streams = openStreams(listener(), pool(), {
  onMessage: (position) => say({ kind: 'moved', position }),
  onStatus: (status) => say({ kind: 'looked', status }),
})

// The socket is null when the browser left before the hand-over.
process.on('message', (message: HandedOver, socket: Parameters<typeof holdConnection>[1] | null) => {
  say({ kind: 'took' })
  if (socket) holdConnection(message, socket, streams)
})

say({ kind: 'moved', position: streams.position() })
// The parent process ends a process that stops sending this.
setInterval(() => say({ kind: 'alive' }), 2_000)
reportMetrics((metrics) => say({ kind: 'metrics', metrics }))
