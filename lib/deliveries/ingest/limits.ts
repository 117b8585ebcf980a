import 'server-only'

/** Limits the memory that all bodies together take while they are read and wait to be stored. */
export interface MemoryBudget {
  /** A reservation for one body, of no bytes yet. */
  reserve(): MemoryReservation
}

export interface MemoryReservation {
  /** Reserves so many bytes more; false, and nothing reserved, when the budget has no more. */
  grow(bytes: number): boolean
  /** Gives back all that was reserved. */
  release(): void
}

/** Bytes. */
const maxBytes = 128 * 1024 * 1024

export function openMemoryBudget(limit = maxBytes): MemoryBudget {
  let reserved = 0
  return {
    reserve() {
      let own = 0
      return {
        grow(bytes) {
          if (reserved + bytes > limit) return false
          reserved += bytes
          own += bytes
          return true
        },
        release() {
          reserved -= own
          own = 0
        },
      }
    },
  }
}

/** No answer in time. */
class TimeoutError extends Error {}

/** Resolves with `answer`, or throws after `limit` milliseconds. The work itself is not cancelled. */
export function withTimeout<T>(limit: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`No answer within ${limit} ms`)), limit)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
