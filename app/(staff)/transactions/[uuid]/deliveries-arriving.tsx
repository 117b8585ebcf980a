'use client'

import { usePageState } from '#components/ui/live/use-page-state.ts'

/** Only while the header says that all is well, which it learns without a change of this transaction. */
export const DeliveriesArriving = () =>
  usePageState().kind === 'up-to-date' ? ', deliveries arriving' : null
