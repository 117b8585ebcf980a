'use client'

import { type ReactNode, Suspense, useState } from 'react'

/**
 * Shows what is late after a stand-in. Whether it has one stays as it was at first: React would make all below anew between the
 * two, and an open dialog would close. What came without one stays as it is until a later answer is there.
 */
export function AfterStandIn({
  late,
  standIn,
  children,
}: {
  readonly late: boolean
  readonly standIn: ReactNode
  readonly children: ReactNode
}) {
  const [waits] = useState(late)
  return waits ? <Suspense fallback={standIn}>{children}</Suspense> : children
}
