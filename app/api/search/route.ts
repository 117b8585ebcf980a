import { z } from 'zod'
import { directions } from '#lib/domain/delivery/steps.ts'
import { search } from '#lib/search/search.ts'
import { answerJsonPost } from '../answer-json.ts'

const WantedSchema = z.union([z.object({ text: z.string().max(20_000) }), z.object({ link: z.uuid() })])

const AskedSchema = z.intersection(
  WantedSchema,
  z.object({
    direction: z.enum(directions).optional(),
    step: z.string().max(500).optional(),
    cursor: z.string().max(2_000).optional(),
    limit: z.number().int().min(1).max(200).optional(),
  }),
)

/** What a text or a link finds, page by page. By POST, so that no log of addresses holds what was typed. */
export const POST = (request: Request) =>
  answerJsonPost(request, AskedSchema, async (caller, { direction, step, cursor, limit, ...wanted }) => {
    const found = await search(caller, wanted, { direction, step, cursor, limit })
    return found === 'erased' ? null : found
  })
