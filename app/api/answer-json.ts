import { z } from 'zod'
import { requireSession } from '#lib/auth/require-session.ts'
import type { Caller } from '#lib/request/caller.ts'
import { answerRefusal } from './answer-refusal.ts'

/** Answers a signed-in caller's GET as JSON: 400 for a query of another shape, 401, 403. */
export async function answerJson<S extends z.ZodType>(
  request: Request,
  schema: S,
  read: (caller: Caller, query: z.output<S>) => Promise<unknown>,
): Promise<Response> {
  try {
    const caller = await requireSession()
    const query = schema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
    if (!query.success) return json({ error: z.prettifyError(query.error) }, 400)
    return json(await read(caller, query.data), 200)
  } catch (error) {
    return answerRefusal(error)
  }
}

const json = (body: unknown, status: number) =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
