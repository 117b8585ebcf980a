import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { readLogLevel } from './env.ts'
import { createLog, type Log } from './log/create-log.ts'

interface RequestFields {
  /** The request has this id. */
  readonly request: string
  readonly path: string
}

/**
 * `inRequest` does `work` for one request. Each line logged meanwhile has the request's id and its path, without the query.
 */
export const inRequest = <T>(request: RequestFields, work: () => T): T => storage().run(request, work)

/** The fields are those of the current request; empty outside of one. */
export const currentRequest = (): Partial<RequestFields> => storage().getStore() ?? {}

/** The server and Next's bundle share one storage. */
function storage(): AsyncLocalStorage<RequestFields> {
  globalThis.rampartRequests ??= new AsyncLocalStorage()
  return globalThis.rampartRequests
}

declare global {
  var rampartRequests: AsyncLocalStorage<RequestFields> | undefined
}

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
