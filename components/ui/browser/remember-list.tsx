'use client'

import { useEffect } from 'react'
import { inStorage } from './in-storage.ts'

/**
 * This tab keeps the list in which a transaction was last seen, so that the transaction's page knows its
 * neighbours.
 */

const key = 'last-list-of-pages'
const listeners = new Set<() => void>()

/** A list of several pages goes on at these addresses, before and after the page; null at its ends. */
export interface ListPages {
  readonly newer: string | null
  readonly older: string | null
}

const onePage: ListPages = { newer: null, older: null }

export function rememberList(uuids: readonly string[], { newer, older }: ListPages = onePage): void {
  const list = JSON.stringify({ uuids: [...new Set(uuids)], newer, older })
  if (list === storedList()) return
  inStorage('sessionStorage', (storage) => storage.setItem(key, list))
  for (const notify of listeners) notify()
}

export function subscribeToLastList(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The stored text stays the same while the list does. */
export const storedList = (): string | null => inStorage('sessionStorage', (storage) => storage.getItem(key))

interface ListedNeighbours {
  readonly previous: string | null
  readonly next: string | null
  /** The list goes on here when the transaction is at an end of its page. */
  readonly pages: ListPages
  /** The text is "3 of 50". */
  readonly place: string
}

/** The neighbours are those of a transaction in the list; null when the list does not hold it. */
export function neighboursIn(stored: string | null, uuid: string): ListedNeighbours | null {
  if (stored === null) return null
  const { uuids, ...pages }: ListPages & { readonly uuids: readonly string[] } = JSON.parse(stored)
  const at = uuids.indexOf(uuid)
  if (at === -1) return null
  return {
    previous: uuids[at - 1] ?? null,
    next: uuids[at + 1] ?? null,
    pages,
    place: `${at + 1} of ${uuids.length}`,
  }
}

/** A list of transactions uses this, so that each transaction leads to the one before and after it. */
export function RememberList({ uuids }: { readonly uuids: readonly string[] }) {
  useEffect(() => rememberList(uuids), [uuids])
  return null
}
