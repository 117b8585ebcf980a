import { z } from 'zod'
import { findSubjects } from '#lib/search/find-subjects.ts'
import { answerJson } from '../answer-json.ts'

const QuerySchema = z.object({
  q: z.string().max(2_000),
  cursor: z.string().max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
})

/** What a text finds, page by page. */
export const GET = (request: Request) =>
  answerJson(request, QuerySchema, (caller, { q, ...page }) => findSubjects(caller, q, page))
