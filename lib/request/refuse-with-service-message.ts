import 'server-only'
import { type ServiceOperation, serviceErrorMessage } from '#lib/service/error-messages.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { Refused } from './refusals.ts'

/** For `.catch`: turns what the service answered into words for the person; any other error stays as it is. */
export const refuseWithServiceMessage =
  (operation: ServiceOperation) =>
  (error: unknown): never => {
    throw error instanceof ServiceError ? new Refused(serviceErrorMessage(error, operation)) : error
  }
