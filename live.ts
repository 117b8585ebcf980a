import { type HandedOver, holdConnection } from '#lib/live/hold-connection.ts'
import type { LiveProcessMessage } from '#lib/live/live-process.ts'
import { openStreams } from '#lib/live/streams.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { logOf } from '#lib/platform/log.ts'

const log = logOf('live')

// A process that holds the live streams, beside the one that answers and hands their connections over: writing to a
// thousand pages holds up no delivery.

process.on('SIGTERM', () => process.exit(0))
process.on('SIGINT', () => process.exit(0))
process.on('disconnect', () => process.exit(0)) // whoever started us has died

// Node would print it as it is, line breaks and all. So comes a rejection that nobody handles. Browsers come back by themselves.
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'The process of the streams ends by an error that nobody expected')
  process.exit(1)
})

/** Whoever hears us no more has died, and we end. */
const leaveToDisconnect = () => undefined

const say = (message: LiveProcessMessage) => process.send?.(message, undefined, undefined, leaveToDisconnect)

const streams = openStreams(listener(), pool(), {
  onMessage: (position) => say({ kind: 'moved', position }),
  onStatus: (status) => say({ kind: 'looked', status }),
})

// Null when the browser left on the way.
process.on('message', (message: HandedOver, socket: Parameters<typeof holdConnection>[1] | null) => {
  say({ kind: 'took' })
  if (socket) holdConnection(message, socket, streams)
})

say({ kind: 'moved', position: streams.position() })
// Whoever started us ends a process that is stuck.
setInterval(() => say({ kind: 'alive' }), 2_000)
