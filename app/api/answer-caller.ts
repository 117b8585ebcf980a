import type { Caller } from '#lib/access/caller.ts'
import { countDenied, routeFolderOf, routeOf } from '#lib/identity/sessions/count-denied.ts'
import { findSession } from '#lib/identity/sessions/require-session.ts'
import { refusalOfOrigin } from '#lib/platform/http/own-origin.ts'
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
