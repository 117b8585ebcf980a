import 'server-only'
import { Refused } from '#lib/platform/refusals.ts'
import { type ServiceOperation, serviceErrorMessage } from './error-messages.ts'
import { ServiceError } from './errors.ts'

/** For `.catch`: turns what the service answered into words for the person; any other error stays as it is. */
export const refuseWithServiceMessage =
  (operation: ServiceOperation) =>
  (error: unknown): never => {
    throw error instanceof ServiceError ? new Refused(serviceErrorMessage(error, operation)) : error
  }
