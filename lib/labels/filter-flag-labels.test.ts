import { expect, it } from 'vitest'
import { eventFilterLabels } from './delivery-labels.ts'
import { doubtLabel } from './doubt-label.ts'
import { filterFlagLabels } from './filter-flag-labels.ts'

it.each(['conflict', 'order-unsure', 'repeat-unsure', 'late'] as const)(
  'calls %s the same in the filter of transactions, in that of events and in rows',
  (flag) => {
    expect(filterFlagLabels[flag]).toBe(eventFilterLabels[flag])
    expect(filterFlagLabels[flag].toLowerCase()).toBe(doubtLabel(flag))
  },
)
