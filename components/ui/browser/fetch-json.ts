/**
 * The server refused: `status` is the HTTP status, or 0 without any answer. `refusal` is the server's message: why a
 * use case refused, that there were too many requests, or that a request came from another page.
 */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed'
  readonly status: number
  readonly refusal: FailureText | null

  constructor(status: number, refusal: FailureText | null = null) {
    super(status === 0 ? 'No answer' : `Answer ${status}`)
    this.status = status
    this.refusal = refusal
  }
}

interface FailureText {
  readonly title: string
  readonly next: string
}

/**
 * The path is one of this server's own JSON routes. An answer that does not come in time is none: without an end, whoever
 * waits for one would take no later change. Throws `FetchFailed`.
 */
export const fetchJson = <T>(path: string, signal?: AbortSignal): Promise<T> => ask(path, {}, signal)

/** The question goes by POST, so that no address holds it. Throws `FetchFailed`. */
export const postJson = <T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> =>
  ask(path, { method: 'POST', body: JSON.stringify(body) }, signal)

/** An answer comes within this many milliseconds. */
export const longestAnswer = 20_000

async function ask<T>(path: string, init: RequestInit, left?: AbortSignal): Promise<T> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const late = AbortSignal.timeout(longestAnswer)
  const signal = left ? AbortSignal.any([left, late]) : late
  const answer = await fetch(path, { ...init, headers, signal }).catch((error: unknown) => {
    if (left?.aborted) throw error
    throw new FetchFailed(0)
  })
  if (!answer.ok) throw new FetchFailed(answer.status, await readRefusal(answer))
  return answer.json().catch((error: unknown) => {
    throw late.aborted && !left?.aborted ? new FetchFailed(0) : error
  })
}

/**
 * The refusal is null when something in front of this server answered, and when the messages below say more.
 * `elsewhere`: our page counts as another site's.
 */
export async function readRefusal(answer: Response): Promise<FailureText | null> {
  const { error, next, elsewhere } = (await answer.json().catch(() => null)) ?? {}
  const isSaid = answer.status === 409 || answer.status === 429 || elsewhere === true
  return isSaid && typeof error === 'string' && typeof next === 'string' ? { title: error, next } : null
}

/** The message says what the failure means for the person, and what to do. Reading loses nothing. */
export function failureMessage(error: unknown): FailureText {
  if (error instanceof FetchFailed && error.refusal) return error.refusal
  const status = error instanceof FetchFailed ? error.status : null
  if (status === 0) {
    return {
      title: 'The server cannot be reached',
      next: 'Nothing is lost. Check the connection and try again.',
    }
  }
  if (status === 400) {
    return {
      title: 'This address cannot be read',
      next: 'It is incomplete, was changed, or belongs to another order. Begin at the top of the list.',
    }
  }
  if (status === 401) return { title: 'Your session has ended', next: 'Sign in again to go on.' }
  if (status === 403) return { title: 'Your role does not allow this', next: 'Ask an admin of your team.' }
  if (status === 429) return { title: 'Too many requests', next: 'Wait a moment and try again.' }
  return {
    title: 'This could not be loaded',
    next: 'Nothing is lost. Try again; if it stays so, tell your admin.',
  }
}

/** The failure is described in one line, with what to do. */
export function failureText(error: unknown): string {
  const { title, next } = failureMessage(error)
  return `${title.replace(/\.$/, '')}. ${next}`
}
