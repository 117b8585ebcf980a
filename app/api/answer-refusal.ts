import { CursorRefused } from '#lib/paging/cursor-refused.ts'
import { NotAllowed, NotSignedIn } from '#lib/request/refusals.ts'

/** What a use case refused, as JSON: 400, 401, 403. Throws anything else on. */
export function answerRefusal(error: unknown): Response {
  if (error instanceof NotSignedIn) return refusal('Sign in', 401)
  if (error instanceof NotAllowed) return refusal('Your role does not allow this', 403)
  if (error instanceof CursorRefused) return refusal(error.message, 400)
  throw error
}

const refusal = (error: string, status: number) =>
  Response.json({ error }, { status, headers: { 'cache-control': 'no-store' } })
