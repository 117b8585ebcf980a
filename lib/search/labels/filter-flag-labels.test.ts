import { expect, it } from 'vitest'
import { eventFilterLabels } from '#lib/deliveries/labels/delivery-labels.ts'
import { doubtLabel } from '#lib/timeline/labels/doubt-label.ts'
import { filterFlagLabels } from './filter-flag-labels.ts'

it.each(['conflict', 'order-unsure', 'repeat-unsure', 'late'] as const)(
  'calls %s the same in the filter of transactions, in that of events and in rows',
  (flag) => {
    expect(filterFlagLabels[flag]).toBe(eventFilterLabels[flag])
    expect(filterFlagLabels[flag].toLowerCase()).toBe(doubtLabel(flag))
  },
)
