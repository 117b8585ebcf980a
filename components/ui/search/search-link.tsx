'use client'

import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useQuickSearch } from './use-quick-search.ts'

/** Looks for everything of a person, an e-mail or an id. What it looks for stands behind # in its address, and in no log. */
export function SearchLink({
  text,
  children,
  className,
  beside = false,
}: {
  readonly text: string
  readonly children: ReactNode
  readonly className?: string
  /** Beside the link of a row, which is the one that the Tab key reaches. */
  readonly beside?: boolean
}) {
  const find = useQuickSearch()
  return (
    <a
      href={`/transactions#${encodeURIComponent(text)}`}
      title="Search for this"
      {...(beside ? { tabIndex: -1 } : {})}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        void find(text, { open: 'list' })
      }}
      className={clsx('hover:underline', beside && 'relative z-10', className)}
    >
      {children}
    </a>
  )
}
