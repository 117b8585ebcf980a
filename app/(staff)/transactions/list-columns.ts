/** From what width of a list each column is shown that a narrower one goes without: the person always has 160 px. */
export interface ListColumns {
  readonly first?: string
  readonly started: string
  readonly chain: string
  readonly direction: string
}

export const columns: ListColumns = {
  started: 'hidden @min-[66rem]:table-cell',
  chain: 'hidden @min-[74rem]:table-cell',
  direction: 'hidden @min-[87rem]:table-cell',
}
