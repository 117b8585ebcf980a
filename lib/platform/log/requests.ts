import { AsyncLocalStorage } from 'node:async_hooks'

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
