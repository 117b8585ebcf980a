import { accountEventChecks } from './checks/account-events.checks.ts'
import { credentialChecks } from './checks/credentials.checks.ts'
import { deliveryHeaderChecks, retryChecks } from './checks/deliveries.checks.ts'
import { endpointOperationChecks } from './checks/endpoint-operations.checks.ts'
import { endpointStateChecks } from './checks/endpoint-states.checks.ts'
import { callChecks, errorChecks } from './checks/errors.checks.ts'
import { eventChecks } from './checks/events.checks.ts'
import { limitChecks } from './checks/limits.checks.ts'
import { signInChecks, signInMessageChecks } from './checks/sign-in.checks.ts'
import { statusChecks } from './checks/statuses.checks.ts'
import { transactionChecks } from './checks/transactions.checks.ts'
import { userAndSessionChecks } from './checks/users-and-sessions.checks.ts'
import { webhookEndpointChecks } from './checks/webhook-endpoints.checks.ts'
import type { Check } from './kit/check-context.ts'

/** Each rule of the contract has one check. */
export const checks: readonly Check[] = [
  userAndSessionChecks,
  webhookEndpointChecks,
  endpointStateChecks,
  statusChecks,
  callChecks,
  signInChecks,
  endpointOperationChecks,
  credentialChecks,
  signInMessageChecks,
  deliveryHeaderChecks,
  eventChecks,
  transactionChecks,
  accountEventChecks,
  retryChecks,
  errorChecks,
  limitChecks,
].flat()
