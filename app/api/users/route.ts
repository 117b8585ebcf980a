import { z } from 'zod'
import { searchPeople } from '#lib/people/list-people.ts'
import { answerJson } from '../answer-caller.ts'

const QuerySchema = z.object({ cursor: z.string().max(2_000).optional() })

/** The answer is a page of the directory. A search of it is an action, because its text is in no address. */
export const GET = (request: Request) => answerJson(request, QuerySchema, searchPeople)
