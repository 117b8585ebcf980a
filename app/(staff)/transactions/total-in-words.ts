import type { Total } from '#lib/transactions/transaction-row.ts'

/** "About 41,000 transactions". */
export function totalInWords({ count, exact }: Total, one: string, many: string): string {
  const number = new Intl.NumberFormat('en').format(count)
  return `${exact ? '' : 'About '}${number} ${count === 1 ? one : many}`
}
