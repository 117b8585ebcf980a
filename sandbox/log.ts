import { Logger } from 'graphile-worker'
import { type Logger as Pino, pino } from 'pino'

export type Log = Pino

/** JSON lines on standard output. Callers log ids, statuses and times, never keys, sessions, codes or secrets. */
export const createLog = (level: string): Log => pino({ level, base: { program: 'sandbox' } })

/** The queue's own messages, one level quieter: it reports every job it takes as information. */
export const queueLogger = (log: Log) =>
  new Logger(() => (level, message) => {
    if (level === 'error') log.error({ message }, 'queue')
    else if (level === 'warning') log.debug({ message }, 'queue')
    else log.trace({ message }, 'queue')
  })
