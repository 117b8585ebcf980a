import { z } from 'zod'
import { eventFilterFields, listEvents, toEventFilters } from '#lib/timeline/list-events.ts'
import { getEvent } from '#lib/timeline/subject-details.ts'
import { answerJson } from '../answer-caller.ts'

const QuerySchema = z.object({
  id: z.uuid().optional(),
  ...eventFilterFields,
  before: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
})

/** With `id`, the answer is one event with its deliveries and body, or null. Otherwise it is a page of the timeline. */
export const GET = (request: Request) =>
  answerJson(request, QuerySchema, (caller, { id, ...asked }) =>
    id ? getEvent(caller, id) : listEvents(caller, toEventFilters(asked)),
  )
