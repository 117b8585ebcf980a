import 'server-only'
import { z } from 'zod'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import type { EventFilters } from './event-view.ts'
import { eventFilterFlags } from './rules/subject-event.ts'

/** The filters of the timeline as an address has them. */
export const eventFilterFields = {
  type: z.string().max(500).optional(),
  step: z.string().max(500).optional(),
  user: uuidField('This is not a uuid.').optional(),
  endpoint: uuidField('This is not a uuid.').optional(),
  flag: z.enum(eventFilterFlags).optional(),
}

/** What they ask for. */
export const toEventFilters = <Sent extends z.output<typeof AskedSchema>>({
  user,
  endpoint,
  ...sent
}: Sent) => ({
  ...sent,
  userUuid: user,
  endpointUuid: endpoint,
})

const AskedSchema = z.object(eventFilterFields)

/** The same of an address; null where one of them is none. */
export function readEventFilters(asked: Readonly<Record<string, string | null>>): EventFilters | null {
  const given = Object.fromEntries(Object.entries(asked).filter(([, text]) => text !== null))
  const read = AskedSchema.safeParse(given)
  return read.success ? toEventFilters(read.data) : null
}
