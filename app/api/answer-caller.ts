import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { countDenied, routeFolderOf, routeOf } from '#lib/identity/sessions/denied-requests.ts'
import { findSession } from '#lib/identity/sessions/require-session.ts'
import { refusalOfOrigin } from '#lib/platform/http/own-origin.ts'
import { readText } from '#lib/platform/http/request-bodies.ts'
import { NotAllowed, NotFromHere, NotSignedIn, UseCaseRefusal } from '#lib/platform/refusals.ts'

/** Answers whoever is signed in; what a use case refuses becomes JSON with the status of the refusal, and is counted. */
export async function answerCaller(
  request: Request,
  answer: (caller: Caller) => Promise<Response>,
): Promise<Response> {
  const caller = await findSession()
  try {
    if (!caller) throw new NotSignedIn()
    return await answer(caller)
  } catch (error) {
    if (!(error instanceof UseCaseRefusal)) throw error
    if (error instanceof NotAllowed || error instanceof NotFromHere || error instanceof NotSignedIn) {
      const { pathname } = new URL(request.url)
      await countDenied(caller, caller ? routeOf(pathname) : routeFolderOf(pathname))
    }
    const elsewhere = error instanceof NotFromHere ? { elsewhere: true } : {}
    return json({ error: error.title, next: error.next, ...elsewhere }, error.answer.status)
  }
}

/** The same for what a page of ours changes or asks by POST, and for nobody else's. */
export const answerOwnPage = (
  request: Request,
  answer: (caller: Caller) => Promise<Response>,
): Promise<Response> =>
  answerCaller(request, (caller) => {
    const refusal = refusalOfOrigin(request.headers)
    if (refusal) throw new NotFromHere(refusal)
    return answer(caller)
  })

/** No cache keeps what a person was answered. */
export const json = (body: unknown, status = 200) =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } })

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
