import { flushCompileCache } from 'node:module'
import { callerWith, newBrowser } from './callers.ts'
import { type EndpointChange, endpointChanges } from './endpoint-changes.ts'

// The process changes endpoints, so that a test can kill it in the middle. It reports that it is ready, and then makes the
// change that it is sent.
process.on('message', ({ change, form }: EndpointChange) => {
  const said = (word: string) => process.send?.(word)
  endpointChanges[change](callerWith('admin'), form as never, newBrowser()).then(
    () => said('done'),
    (error: Error) => said(error.message),
  )
})
// The cache is written now, because a killed process would leave none for the next one.
flushCompileCache()
process.send?.('ready')
