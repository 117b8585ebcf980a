import { flushCompileCache } from 'node:module'
import { callerWith, newBrowser } from './callers.ts'
import { type EndpointChange, endpointChanges } from './endpoint-changes.ts'

// A process of its own that changes endpoints, so that a test can kill it in the middle: says that it is ready, then
// does the change that it is sent.
process.on('message', ({ change, form }: EndpointChange) => {
  const said = (word: string) => process.send?.(word)
  endpointChanges[change](callerWith('admin'), form as never, newBrowser()).then(
    () => said('done'),
    (error: Error) => said(error.message),
  )
})
// It is killed, and would leave nothing for the next one to start from.
flushCompileCache()
process.send?.('ready')
