'use client'

import type { ReactNode } from 'react'
import { noteSignOut } from '#components/ui/browser/session.ts'

/** The button ends the session on the server, which then sends the browser to the sign-in page. */
export const SignOut = ({
  className,
  children,
}: {
  readonly className: string
  readonly children: ReactNode
}) => (
  <form method="post" action="/api/sign-out" onSubmit={noteSignOut}>
    <button type="submit" className={className}>
      {children}
    </button>
  </form>
)
