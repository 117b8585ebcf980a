'use client'

import { clsx } from 'clsx'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'
import { useLiveStatus } from '#components/ui/live/live.tsx'
import { attentionCountLimit } from '#lib/operations/rules/health.ts'
import type { Attention, SidebarPlace } from './places.ts'

/** Lists that share one place in the sidebar have these tabs. Other pages have none. */
export function SectionTabs({ places }: { readonly places: readonly SidebarPlace[] }) {
  const path = usePathname()
  const place = places.find(({ tabs }) => tabs?.some(({ href }) => href === path))
  if (!place?.tabs) return null
  return (
    <nav aria-label={place.name} className="-mt-2 mb-5 flex flex-wrap gap-x-1 border-b">
      {place.tabs.map(({ href, name, attention }) => (
        <Link
          key={href}
          href={href}
          aria-current={path === href ? 'page' : undefined}
          className={clsx(
            '-mb-px flex min-h-10 items-center gap-2 border-b-2 px-2.5 font-label text-sm transition-colors',
            path === href ? 'border-ink text-text' : 'border-transparent text-muted hover:text-text',
          )}
        >
          {name}
          {attention && <AttentionCount attention={attention} />}
        </Link>
      ))}
    </nav>
  )
}

/** A link of the sidebar is marked while its place, a tab of it, or a page below one of them is open. */
export function NavLink({
  href,
  icon,
  tabs = [],
  children,
}: {
  readonly href: string
  readonly icon: ReactNode
  /** `tabs` are the addresses of the tabs that belong to the place. */
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
      {/* A count without room beside the name goes below it. */}
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5">{children}</span>
    </Link>
  )
}

/** The address is this place or below it. */
const isAt = (path: string, href: string): boolean => path === href || path.startsWith(`${href}/`)

/** The number says how many things of a place need attention. Nothing is shown for zero. */
export function AttentionCount({ attention }: { readonly attention: Attention }) {
  const count = useLiveStatus()?.counts[attention.count] ?? 0
  if (count === 0) return null
  const shown = count >= attentionCountLimit ? `${attentionCountLimit - 1}+` : String(count)
  return (
    <span className="num ml-auto shrink-0 rounded-md bg-held-bg px-1.5 font-strong text-2xs text-held leading-[1.6]">
      {shown}
      <span className="sr-only"> {attention.words[count === 1 ? 0 : 1]}</span>
    </span>
  )
}
