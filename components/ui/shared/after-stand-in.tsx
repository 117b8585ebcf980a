'use client'

import { type ReactNode, Suspense, useState } from 'react'

/**
 * Shows what is late after a stand-in. It keeps its first choice of having one: to change that would make all below anew, and
 * close an open dialog. What came without one stays as it is until a later answer is there.
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
