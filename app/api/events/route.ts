import { z } from 'zod'
import { getEvent } from '#lib/events/get-event.ts'
import { listEvents } from '#lib/events/list-events.ts'
import { answerJson } from '../answer-json.ts'

const QuerySchema = z.object({
  id: z.uuid().optional(),
  type: z.string().max(500).optional(),
  user: z.guid().toLowerCase().optional(),
  before: z.uuid().optional(),
  after: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
})

/** With `id` one event with its deliveries and body, or null; otherwise a page of the timeline. */
export const GET = (request: Request) =>
  answerJson(request, QuerySchema, (caller, { id, user, ...filters }) =>
    id ? getEvent(caller, id) : listEvents(caller, { ...filters, userUuid: user }),
  )
