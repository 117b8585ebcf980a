import 'server-only'

/** What is read once in a while, for all who ask in one process. */
export interface Kept<K, T> {
  /** What was read of `key` a short time ago, or is read now. What failed is read again by the next call. */
  read(key: K): Promise<T>
  /** The next call reads everything again. */
  forget(): void
}

/** @param ms milliseconds for which what was read is given to all */
export function keepFor<T, K = void>(ms: number, read: (key: K) => Promise<T>): Kept<K, T> {
  const known = new Map<K, { readonly value: Promise<T>; readonly until: number }>()
  return {
    read(key) {
      const now = performance.now()
      const last = known.get(key)
      if (last && now < last.until) return last.value
      const value = read(key)
      known.set(key, { value, until: now + ms })
      value.catch(() => known.delete(key))
      return value
    },
    forget: () => known.clear(),
  }
}
