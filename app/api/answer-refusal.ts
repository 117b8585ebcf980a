import { UseCaseRefusal } from '#lib/request/refusals.ts'

/** What a use case refused, as JSON with the status of the refusal. Throws any other error on. */
export function answerRefusal(error: unknown): Response {
  if (!(error instanceof UseCaseRefusal)) throw error
  const { status } = error.answer
  return Response.json({ error: error.title }, { status, headers: { 'cache-control': 'no-store' } })
}
