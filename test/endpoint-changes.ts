import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { deleteEndpoint } from '#lib/endpoints/delete-endpoint.ts'
import { finishReplacement } from '#lib/endpoints/finish-replacement.ts'
import { replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { takeOver } from '#lib/endpoints/take-over.ts'

/** The changes of endpoints that ask the service, by name, as a test tells another process which to do. */
export const endpointChanges = {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  finishReplacement,
  replaceEndpoint,
  rotateSecret,
  takeOver,
}
