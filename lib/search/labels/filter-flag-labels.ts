import type { FilterFlag } from '#lib/transactions/rules/transaction-filters.ts'

export const filterFlagLabels = {
  stuck: 'Stuck',
  conflict: 'Conflict',
  'order-unsure': 'Order unconfirmed',
  'repeat-unsure': 'Possibly finished',
  late: 'Late',
} as const satisfies Record<FilterFlag, string>
