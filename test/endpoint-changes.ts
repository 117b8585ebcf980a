import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { repairEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { deleteEndpoint, finishReplacement } from '../lib/endpoints/replace-endpoint.ts'

/** These changes of endpoints call the service. Their names let a test tell another process which one to do. */
export const endpointChanges = {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  finishReplacement,
  repairEndpoint,
  replaceEndpoint,
  rotateSecret,
}

/** A test sends this message to another process, where `endpoint-process.ts` reads it. */
export interface EndpointChange {
  readonly change: keyof typeof endpointChanges
  readonly form: object
}
