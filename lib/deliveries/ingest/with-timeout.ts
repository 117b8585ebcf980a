import 'server-only'

/** No answer in time. */
class TimeoutError extends Error {}

/** Resolves with `answer`, or throws after `limit` milliseconds. The work itself is not cancelled. */
export function withTimeout<T>(limit: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`No answer within ${limit} ms`)), limit)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
