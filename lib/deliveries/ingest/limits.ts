import 'server-only'

/** The memory budget limits the memory of all bodies while they are read and wait to be stored. */
export interface MemoryBudget {
  /** `reserve` opens a reservation for one body, with 0 bytes. */
  reserve(): MemoryReservation
}

export interface MemoryReservation {
  /** `grow` reserves more bytes. It returns false, and reserves nothing, when the budget is used up. */
  grow(bytes: number): boolean
  /** `release` gives back the whole reservation. */
  release(): void
}

/** The limit counts bytes. */
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

class TimeoutError extends Error {}

/** `withTimeout` resolves with `answer`, or throws after `limit` milliseconds. The work itself is not cancelled. */
export function withTimeout<T>(limit: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`No answer within ${limit} ms`)), limit)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
