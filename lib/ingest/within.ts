import 'server-only'

/** No answer in time. */
class TooLate extends Error {}

/** What is answered within `limit` milliseconds; throws otherwise, and whatever goes on meanwhile goes on. */
export function within<T>(limit: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TooLate(`No answer within ${limit} ms`)), limit)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
