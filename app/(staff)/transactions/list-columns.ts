/** From what width of the list each column is shown that a narrower one goes without. */
export const columns = {
  direction: 'hidden @min-[85rem]:table-cell',
  chain: 'hidden @5xl:table-cell',
  started: 'hidden @min-[70rem]:table-cell',
} as const
