import { flushCompileCache } from 'node:module'
import { callerWith, newBrowser } from './callers.ts'
import { endpointDeeds } from './endpoint-deeds.ts'

// A process of its own that changes endpoints, so that a test can kill it in the middle: says that it is ready, then
// does what it is told.
process.on('message', ({ deed, form }: { deed: keyof typeof endpointDeeds; form: never }) => {
  const said = (word: string) => process.send?.(word)
  endpointDeeds[deed](callerWith('admin'), form, newBrowser()).then(
    () => said('done'),
    (error: Error) => said(error.message),
  )
})
// It is killed, and would leave nothing for the next one to start from.
flushCompileCache()
process.send?.('ready')
