import { z } from 'zod'
import { search } from '#lib/search/search.ts'
import { filterFields, matchOf } from '#lib/transactions/filters.ts'
import { answerJsonPost } from '../answer-caller.ts'

const WantedSchema = z.union([z.object({ text: z.string().max(20_000) }), z.object({ link: z.uuid() })])

const OptionsSchema = z
  .object({
    ...filterFields,
    cursor: z.string().max(2_000).optional(),
    limit: z.number().int().min(1).max(200).optional(),
  })
  .transform(({ cursor, limit, ...texts }, { issues }) => ({
    options: { ...matchOf(texts, issues), cursor, limit },
  }))

const AskedSchema = z.intersection(WantedSchema, OptionsSchema)

/**
 * The answer has what a text or a link finds, page by page. The request is a POST, so that no log of addresses
 * holds the typed text.
 */
export const POST = (request: Request) =>
  answerJsonPost(request, AskedSchema, async (caller, { options, ...wanted }) => {
    const found = await search(caller, wanted, options)
    return found === 'erased' ? null : found
  })
