import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { deleteEndpoint } from '#lib/endpoints/delete-endpoint.ts'
import { finishReplacement } from '#lib/endpoints/finish-replacement.ts'
import { replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { takeOver } from '#lib/endpoints/take-over.ts'
import { callerWith, newBrowser } from './callers.ts'

// A process of its own that changes endpoints, so that a test can kill it in the middle: says that it is ready, then
// does what it is told.
const deeds = {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  finishReplacement,
  replaceEndpoint,
  rotateSecret,
  takeOver,
}

process.on('message', ({ deed, form }: { deed: keyof typeof deeds; form: never }) => {
  const said = (word: string) => process.send?.(word)
  deeds[deed](callerWith('admin'), form, newBrowser()).then(
    () => said('done'),
    (error: Error) => said(error.message),
  )
})
process.send?.('ready')
