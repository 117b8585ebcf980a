import { z } from 'zod'
import { isOwnOrigin } from '#lib/actions/is-own-origin.ts'
import type { Caller } from '#lib/request/caller.ts'
import { NotAllowed } from '#lib/request/refusals.ts'
import { answerCaller, json } from './answer-caller.ts'

type Read<S extends z.ZodType> = (caller: Caller, asked: z.output<S>) => Promise<unknown>

/** Answers a signed-in caller's GET as JSON: 400 for a query of another shape, 401, 403. */
export const answerJson = <S extends z.ZodType>(
  request: Request,
  schema: S,
  read: Read<S>,
): Promise<Response> =>
  answerCaller(request, (caller) =>
    answer(caller, schema.safeParse(Object.fromEntries(new URL(request.url).searchParams)), read),
  )

/** Answers a signed-in caller's POST from a page of ours. Otherwise as `answerJson`. */
export const answerJsonPost = <S extends z.ZodType>(
  request: Request,
  schema: S,
  read: Read<S>,
): Promise<Response> =>
  answerCaller(request, async (caller) => {
    if (!isOwnOrigin(request.headers.get('origin'))) throw new NotAllowed()
    return answer(caller, schema.safeParse(await request.json().catch(noJson)), read)
  })

/** A body that is no JSON has none of our shapes. */
function noJson(error: unknown): null {
  if (error instanceof SyntaxError) return null
  throw error
}

async function answer<S extends z.ZodType>(
  caller: Caller,
  asked: z.ZodSafeParseResult<z.output<S>>,
  read: Read<S>,
): Promise<Response> {
  if (!asked.success) return json({ error: z.prettifyError(asked.error) }, 400)
  return json(await read(caller, asked.data))
}
