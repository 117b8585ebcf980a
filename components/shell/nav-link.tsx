'use client'

import { clsx } from 'clsx'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

/** A place in the sidebar; marked while it, or a page below it, is open. */
export function NavLink({
  href,
  icon,
  children,
}: {
  readonly href: string
  readonly icon: ReactNode
  readonly children: ReactNode
}) {
  const path = usePathname()
  const here = path === href || path.startsWith(`${href}/`)
  return (
    <Link
      href={href}
      aria-current={here ? 'page' : undefined}
      className={clsx(
        'flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-table transition-colors [&_svg]:size-4',
        here ? 'bg-hover text-text' : 'text-muted hover:bg-hover hover:text-text',
      )}
    >
      {icon}
      {children}
    </Link>
  )
}
