import 'server-only'
import { z } from 'zod'
import { visibilityOf } from '#lib/domain/access/visibility.ts'
import { ReasonSchema } from '#lib/forms/reason.ts'
import { uuidField } from '#lib/forms/uuid-field.ts'
import type { Caller } from '#lib/request/caller.ts'
import { NotAllowed, Refused } from '#lib/request/refusals.ts'
import { refuseWithServiceMessage } from '#lib/request/refuse-with-service-message.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { getUser } from '#lib/service/users.ts'
import { serviceClient } from '#lib/service-client.ts'
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
