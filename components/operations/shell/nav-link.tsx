'use client'

import { clsx } from 'clsx'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'
import { isAt } from './places.ts'

/** A place in the sidebar; marked while it, a tab beside it, or a page below one of them is open. */
export function NavLink({
  href,
  icon,
  tabs = [],
  children,
}: {
  readonly href: string
  readonly icon: ReactNode
  /** Addresses of the tabs beside it, which belong to it. */
  readonly tabs?: readonly string[]
  readonly children: ReactNode
}) {
  const path = usePathname()
  const here = [href, ...tabs].some((each) => isAt(path, each))
  return (
    <Link
      href={href}
      aria-current={here ? (path === href ? 'page' : 'true') : undefined}
      className={clsx(
        'flex min-h-8 items-center gap-2.5 rounded-md px-2 py-1 font-medium text-table transition-colors pointer-coarse:min-h-10 [&_svg]:size-4',
        here ? 'bg-hover text-text' : 'text-muted hover:bg-hover hover:text-text',
      )}
    >
      {icon}
      {/* A count that has no room beside the name stands below it. */}
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5">{children}</span>
    </Link>
  )
}
