import 'server-only'

/** No answer in time. */
class TimeoutError extends Error {}

/** What is answered within `limit` milliseconds; throws otherwise, and whatever goes on meanwhile goes on. */
export function withTimeout<T>(limit: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`No answer within ${limit} ms`)), limit)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
