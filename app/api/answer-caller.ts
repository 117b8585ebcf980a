import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { countDenied, routeFolderOf, routeOf } from '#lib/identity/sessions/denied-requests.ts'
import { findSession } from '#lib/identity/sessions/read-request.ts'
import { storableFields } from '#lib/platform/forms/fields.ts'
import { refusalOfOrigin } from '#lib/platform/http/own-origin.ts'
import { readText } from '#lib/platform/http/request-bodies.ts'
import { NotAllowed, NotFromHere, NotSignedIn, UseCaseRefusal } from '#lib/platform/refusals.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'

/** A caller who is signed in gets the answer. A refusal of a use case becomes JSON with its status, and is counted. */
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
    const { title, next } = wordRefusal('en', error)
    return json({ error: title, next, ...elsewhere }, error.answer.status)
  }
}

/** Only a page of ours may make this request, which changes something or asks by POST. */
export const answerOwnPage = (
  request: Request,
  answer: (caller: Caller) => Promise<Response>,
): Promise<Response> =>
  answerCaller(request, (caller) => {
    const refusal = refusalOfOrigin(request.headers)
    if (refusal) throw new NotFromHere(refusal)
    return answer(caller)
  })

/** No cache keeps a person's answer. */
export const json = (body: unknown, status = 200) =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } })

type Read<S extends z.ZodType> = (caller: Caller, asked: z.output<S>) => Promise<unknown>

/**
 * The GET of a signed-in caller gets JSON: 400 for an invalid query, 401 without a session, 403 without the
 * permission.
 */
export const answerJson = <S extends z.ZodType>(
  request: Request,
  schema: S,
  read: Read<S>,
): Promise<Response> =>
  answerCaller(request, (caller) =>
    answer(
      caller,
      schema.safeParse(storableFields(Object.fromEntries(new URL(request.url).searchParams))),
      read,
    ),
  )

/**
 * The POST of a signed-in caller from a page of ours gets JSON, with the statuses of `answerJson`, and 413 for a
 * long body.
 */
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

/** A body that is no JSON matches no schema. */
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
