import 'server-only'
import { readLogLevel } from './env.ts'
import { createLog, type Log } from './log/create-log.ts'
import { currentRequest } from './log/requests.ts'

/**
 * The log of one part of the program, such as `logOf('ingest')`. Fields are ids, counts, codes and durations, never what a
 * person typed or a delivery said. Decision 0036.
 */
export const logOf = (component: string): Log => root().child({ component })

function root(): Log {
  globalThis.rampartLog ??= createLog({ level: readLogLevel(), fieldsOfEachLine: currentRequest })
  return globalThis.rampartLog
}

declare global {
  var rampartLog: Log | undefined
}
