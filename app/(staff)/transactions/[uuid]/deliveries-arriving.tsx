'use client'

import { usePageState } from '#components/ui/live/live.tsx'

/** The words appear only while the header says that all is well, which changes without this transaction. */
export const DeliveriesArriving = () =>
  usePageState().kind === 'up-to-date' ? ', deliveries arriving' : null
