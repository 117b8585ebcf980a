import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import { NotAllowed, NotSignedIn } from '#lib/auth/refusals.ts'
import { requireSession } from '#lib/auth/require-session.ts'
import { CursorRefused } from '#lib/events/cursor-refused.ts'

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
    if (error instanceof NotSignedIn) return json({ error: 'Sign in' }, 401)
    if (error instanceof CursorRefused) return json({ error: error.message }, 400)
    if (error instanceof NotAllowed) return json({ error: 'Your role does not allow this' }, 403)
    throw error
  }
}

const json = (body: unknown, status: number) =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
