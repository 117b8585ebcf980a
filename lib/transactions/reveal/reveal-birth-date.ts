import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { ReasonSchema } from '#lib/platform/forms/reason.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { refuseWithServiceMessage } from '#lib/service/refuse-with-service-message.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getUser } from '#lib/service/users.ts'
import { recordReveal } from './record-reveal.ts'
import { requireReveal } from './require-reveal.ts'

export const RevealBirthDateSchema = z.object({
  person: uuidField('This names nobody.'),
  reason: ReasonSchema,
})

/**
 * Shows when a person was born, as the service has it: nothing of it is kept here. Throws `NotAllowed`, `SignInAgain`,
 * `TooMany`, `InvalidInput`, `Refused`.
 */
export async function revealBirthDate(
  caller: Caller,
  { person, reason: given }: z.output<typeof RevealBirthDateSchema>,
  source: CallSource,
): Promise<{ readonly value: string }> {
  if (visibilityOf(caller.role, 'birth-date') !== 'reveal') throw new NotAllowed()
  const reason = await requireReveal(caller, given)
  const { dateOfBirth } = await getUser(serviceClient(), { userUuid: person }).catch(
    refuseWithServiceMessage('get-user'),
  )
  if (dateOfBirth === null) throw new Refused(notKnown)
  const details = { field: 'dateOfBirth', person }
  await recordReveal(caller, { action: 'read.field', target: person, reason, details }, source)
  return { value: dateOfBirth }
}

const notKnown = {
  title: 'The service names no date of birth.',
  next: 'It did when the page was loaded; load it again to see what it says now.',
}
