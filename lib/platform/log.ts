import 'server-only'
import { readLogLevel } from './env.ts'
import { createLog, type Log } from './log/create-log.ts'
import { currentRequest } from './log/requests.ts'

/**
 * `logOf` is the log of one part of the program, such as `logOf('ingest')`. Fields are ids, counts, codes and durations, and
 * never what a person typed or a delivery contained. Decision 0036.
 */
export const logOf = (component: string): Log => root().child({ component })

function root(): Log {
  globalThis.rampartLog ??= createLog({ level: readLogLevel(), fieldsOfEachLine: currentRequest })
  return globalThis.rampartLog
}

declare global {
  var rampartLog: Log | undefined
}
