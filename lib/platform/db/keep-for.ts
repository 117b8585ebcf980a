import 'server-only'
import { pool } from './pool.ts'

/** `Kept` reads a value from the database at intervals, and shares it within the process. */
export interface Kept<K, T> {
  /**
   * `read` returns the value of `key` that was read recently, or is being read. A failed read is repeated by the next call.
   */
  read(key: K): Promise<T>
  /** `forget` makes the next call read everything again. */
  forget(): void
}

/** @param ms a value is shared for this many milliseconds */
export function keepFor<T, K = void>(ms: number, read: (key: K) => Promise<T>): Kept<K, T> {
  const byPool = new WeakMap<object, Map<K, { readonly value: Promise<T>; readonly until: number }>>()
  return {
    read(key) {
      const database = pool()
      const known = byPool.get(database) ?? new Map()
      byPool.set(database, known)
      const now = performance.now()
      const last = known.get(key)
      if (last && now < last.until) return last.value
      const value = read(key)
      known.set(key, { value, until: now + ms })
      value.catch(() => known.delete(key))
      return value
    },
    forget: () => byPool.get(pool())?.clear(),
  }
}
