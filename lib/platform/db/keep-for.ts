import 'server-only'
import { pool } from './pool.ts'

/** A value that is read from the database once in a while, for all who ask in one process. */
export interface Kept<K, T> {
  /** What was read of `key` a short time ago, or is read now. What failed is read again by the next call. */
  read(key: K): Promise<T>
  /** The next call reads everything again. */
  forget(): void
}

/** @param ms milliseconds for which what was read is given to all */
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
