import 'server-only'
import { Refused } from '#lib/platform/refusals.ts'
import type { Caller } from './caller.ts'

/** The caller's account at the service, in lower case. Throws `Refused` for a member of staff who has none. */
export function requireServiceUser({ userUuid }: Caller): string {
  if (userUuid === null) throw new Refused(noAccount)
  return userUuid.toLowerCase()
}

const noAccount = {
  title: 'You have no account at the payment service.',
  next: 'You are signed in as a member of the team, who needs none. What belongs to a customer is on that customer’s page.',
}
