import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { deleteEndpoint } from '#lib/endpoints/delete-endpoint.ts'
import { repairEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { finishReplacement } from '../lib/endpoints/replace-endpoint.ts'

/**
 * The changes of endpoints that ask the service, by name, so that a test can name to another process the one to do.
 */
export const endpointChanges = {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  finishReplacement,
  repairEndpoint,
  replaceEndpoint,
  rotateSecret,
}

/** What is sent to another process, as `endpoint-process.ts` reads it. */
export interface EndpointChange {
  readonly change: keyof typeof endpointChanges
  readonly form: object
}
