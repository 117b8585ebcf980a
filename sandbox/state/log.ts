import { Logger } from 'graphile-worker'
import { createLog as createSharedLog, type Log } from '#lib/log/create-log.ts'

export type { Log }

/** The log of this program. Callers log ids, statuses and times, never keys, sessions, codes or secrets. */
export const createLog = (level: string): Log => createSharedLog({ level, base: { component: 'sandbox' } })

/** The queue's own messages, one level quieter: it reports every job it takes as information. */
export const queueLogger = (log: Log) =>
  new Logger(() => (level, message) => {
    if (level === 'error') log.error({ queue: message }, 'The queue reports an error')
    else if (level === 'warning') log.debug({ queue: message }, 'The queue warns')
    else log.trace({ queue: message }, 'The queue works')
  })
