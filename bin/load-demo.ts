import { loadDemo } from '#lib/operations/demo/load-demo.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { logOf } from '#lib/platform/log.ts'

// `npm start` runs this program when the server is up. It does nothing in a database that is not empty.
try {
  await loadDemo()
  process.send?.({ kind: 'ready' }, () => process.exit(0))
} catch (error) {
  logOf('demo').fatal({ err: error }, 'The demo could not be loaded')
  const line = `The demo could not be loaded: ${messageOfError(error)}`
  process.send?.({ kind: 'failed', line }, () => process.exit(1))
}
