'use client'

/** After which page another one came, both by their cursors; kept while this tab lives, so that it outlasts an opened row. */
const newerThan = new Map<string, string | null>()

/** Turns the pages of a list whose place is in the address; back from a page that a link opened is the first one. */
export function usePages(cursor: string | null, onCursor: (cursor: string | null) => void) {
  return {
    onNewer: cursor ? () => onCursor(newerThan.get(cursor) ?? null) : null,
    onOlderTo: (next: string | null) =>
      next
        ? () => {
            newerThan.set(next, cursor)
            onCursor(next)
          }
        : null,
  }
}
