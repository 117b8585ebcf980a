'use client'

import { useEffect } from 'react'
import type { ListPages } from '#components/ui/browser/last-list.ts'
import { type TransactionsSearch, transactionsUrl } from './search.ts'

/** After which page another one came, both by their cursors; kept while this tab lives, so that it outlasts an opened row. */
const newerThan = new Map<string, string | null>()

/**
 * Turns the pages of a list whose place is in the address; back from a page that a link opened is the first one. `next` is
 * the cursor of the page after it: null at the end of the list, and while the page itself is being fetched.
 */
export function usePages(
  search: TransactionsSearch,
  next: string | null,
  onCursor: (cursor: string | null) => void,
) {
  const { cursor } = search
  const newer = cursor === null ? null : (newerThan.get(cursor) ?? null)
  useEffect(() => {
    if (next !== null) newerThan.set(next, cursor)
  }, [next, cursor])
  const addressOf = (to: string | null) => transactionsUrl('/transactions', { ...search, cursor: to })
  const pages: ListPages = {
    newer: cursor === null ? null : addressOf(newer),
    older: next === null ? null : addressOf(next),
  }
  return {
    onNewer: cursor === null ? null : () => onCursor(newer),
    onOlder: next === null ? null : () => onCursor(next),
    pages,
  }
}
