/**
 * From what width of the list each column is shown that a narrower one goes without: the person always has 160 px. Of a search
 * the first column says why something was found, and is wider.
 */
export const columns = {
  list: {
    first: 'w-40',
    started: 'hidden @min-[66rem]:table-cell',
    chain: 'hidden @min-[74rem]:table-cell',
    direction: 'hidden @min-[86.5rem]:table-cell',
  },
  found: {
    first: 'w-40 @min-[61rem]:w-56 @min-[70rem]:w-60',
    started: 'hidden @min-[71rem]:table-cell',
    chain: 'hidden @min-[79rem]:table-cell',
    direction: 'hidden @min-[86.5rem]:table-cell',
  },
} as const

export type ListColumns = (typeof columns)[keyof typeof columns]
