/**
 * `work` does nothing but read or write. The answer is null when the browser stores nothing for pages, or no more, or
 * cannot read what it has stored, for which each browser throws errors of its own.
 */
export function inStorage<T>(
  name: 'localStorage' | 'sessionStorage',
  work: (storage: Storage) => T,
): T | null {
  try {
    const storage: Storage | null = globalThis[name]
    return storage && work(storage)
  } catch {
    return null
  }
}
