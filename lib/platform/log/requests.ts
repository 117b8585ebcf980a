import { AsyncLocalStorage } from 'node:async_hooks'

interface RequestFields {
  /** The request's id. */
  readonly request: string
  readonly path: string
}

/** Does `work` for one request: each line that is logged meanwhile carries its id and its path, without the query. */
export const inRequest = <T>(request: RequestFields, work: () => T): T => storage().run(request, work)

/** What is known of the request under way; nothing outside of one. */
export const currentRequest = (): Partial<RequestFields> => storage().getStore() ?? {}

/** One for the server and for what Next bundles. */
function storage(): AsyncLocalStorage<RequestFields> {
  globalThis.rampartRequests ??= new AsyncLocalStorage()
  return globalThis.rampartRequests
}

declare global {
  var rampartRequests: AsyncLocalStorage<RequestFields> | undefined
}
