'use client'

import { type ReactNode, Suspense, useState } from 'react'

/**
 * Late content appears after a stand-in. The first choice of having a stand-in is kept: a change would make
 * everything below anew and close an open dialog. Content that came without one stays until a later answer is
 * there.
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
  const [first] = useState({ late, standIn })
  return first.late ? <Suspense fallback={first.standIn}>{children}</Suspense> : children
}
