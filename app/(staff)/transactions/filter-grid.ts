/** Where the filters behind “More filters” stand, they themselves and what stands in for them. */
export const filterGrid = {
  all: 'grid grid-cols-[minmax(0,1fr)] gap-4 p-4 sm:grid-cols-2 xl:grid-cols-4',
  ranges:
    'grid grid-cols-[minmax(0,1fr)] gap-4 self-start sm:col-span-2 sm:grid-cols-2 xl:col-span-4 xl:grid-cols-4',
  person: 'sm:col-span-2 2xl:col-span-1',
  whole: 'min-w-0 sm:col-span-2 xl:col-span-4',
} as const

/** It breaks into two lines in a narrow column. */
export const amountHint = 'Of fiat money, or of the coin chosen'
