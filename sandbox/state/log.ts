import { Logger } from 'graphile-worker'
import { type Logger as Log, pino } from 'pino'

export type { Log }

/**
 * The log writes JSON lines to standard output. Callers log ids, statuses and times, never keys, sessions, codes or secrets.
 */
export function createLog(level: string): Log {
  // A full disk, or a closed reader, costs lines and not the process. At most 1 MB waits for space.
  const output = pino.destination({ dest: 1, sync: true, maxLength: 1_000_000 })
  output.on('error', () => {
    // No other place is left to report it.
  })
  return pino(
    {
      level,
      base: { component: 'sandbox', pid: process.pid },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
    },
    { write: (line) => output.write(line.replace(addresses, '[e-mail]')) },
  )
}

/** A mail server's answer names the person that it refused. */
const addresses =
  /[^\s@<>"'(),:;=]+@(?:\[[\da-f.:]+\]|(?:[\p{L}\p{M}\p{N}-]+\.)+[\p{L}\p{M}][\p{L}\p{M}\p{N}-]+)/giu

/**
 * Only these fields are logged, because PostgreSQL's `detail` quotes rows, and its errors about a value (22…) quote that
 * value.
 */
function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) }
  const { name, message, stack = '', cause } = error
  const code = 'code' in error ? String(error.code) : undefined
  const quotesValues = name === 'SyntaxError' || code?.startsWith('22')
  return {
    name,
    code,
    message: quotesValues ? message.replace(/".*"/s, '"…"') : message,
    stack: stack
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .join('\n'),
    ...(cause !== undefined && { cause: errorFields(cause) }),
  }
}

/** The queue's messages are logged one level lower, because it reports every job as information. */
export const queueLogger = (log: Log) =>
  new Logger(() => (level, message) => {
    if (level === 'error') log.error({ queue: message }, 'The queue reports an error')
    else if (level === 'warning') log.debug({ queue: message }, 'The queue warns')
    else log.trace({ queue: message }, 'The queue works')
  })
