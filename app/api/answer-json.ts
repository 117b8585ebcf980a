import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { readText } from '#lib/platform/http/read-text.ts'
import { answerCaller, answerOwnPage, json } from './answer-caller.ts'

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

/** Answers a signed-in caller's POST from a page of ours: 413 for a long one. Otherwise as `answerJson`. */
export const answerJsonPost = <S extends z.ZodType>(
  request: Request,
  schema: S,
  read: Read<S>,
): Promise<Response> =>
  answerOwnPage(request, async (caller) => {
    const text = await readText(request)
    if (text === null) return json({ error: 'A question has at most 64 KB.' }, 413)
    return answer(caller, schema.safeParse(parsed(text)), read)
  })

/** A body that is no JSON has none of our shapes. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function answer<S extends z.ZodType>(
  caller: Caller,
  asked: z.ZodSafeParseResult<z.output<S>>,
  read: Read<S>,
): Promise<Response> {
  if (!asked.success) return json({ error: z.prettifyError(asked.error) }, 400)
  return json(await read(caller, asked.data))
}
