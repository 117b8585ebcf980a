/** The list in which a transaction was last seen, kept by this tab: what stands before and after it there. */

const key = 'last-list'
const listeners = new Set<() => void>()

export function rememberList(uuids: readonly string[]): void {
  const list = JSON.stringify([...new Set(uuids)])
  if (list === storedList()) return
  sessionStorage.setItem(key, list)
  for (const notify of listeners) notify()
}

export function subscribeToLastList(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** As it is stored, so that it stays the same while the list does. */
export const storedList = (): string | null => sessionStorage.getItem(key)

export interface ListedNeighbours {
  readonly previous: string | null
  readonly next: string | null
  /** "3 of 50" */
  readonly place: string
}

/** What stands beside a transaction; null when the list does not hold it. */
export function neighboursIn(stored: string | null, uuid: string): ListedNeighbours | null {
  const uuids: unknown = stored === null ? [] : JSON.parse(stored)
  if (!Array.isArray(uuids)) return null
  const at = uuids.indexOf(uuid)
  if (at === -1) return null
  return {
    previous: uuids[at - 1] ?? null,
    next: uuids[at + 1] ?? null,
    place: `${at + 1} of ${uuids.length}`,
  }
}
