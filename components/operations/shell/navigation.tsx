'use client'

import { clsx } from 'clsx'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { PaletteTrigger } from '#components/search/palette/palette-host.tsx'
import { Link } from '#components/ui/link.tsx'
import { useLiveStatus } from '#components/ui/live/live.tsx'
import { Logo } from '#components/ui/logo.tsx'
import { homePage } from '#lib/access/rules/home-page.ts'
import { may, type Role } from '#lib/access/rules/roles.ts'
import { attentionCountLimit } from '#lib/operations/rules/health.ts'
import { type Attention, isAt, placeGroups, placesFor, type SidebarHref } from './places.ts'

/**
 * The sidebar has the places that this role may open. It is at the left of a wide page and in the drawer of a
 * narrow one.
 */
export function Sidebar({
  role,
  icons,
}: {
  readonly role: Role
  /** The server gives the icons, so that they are no part of the scripts. */
  readonly icons: Readonly<Record<SidebarHref, ReactNode>>
}) {
  return (
    <div className="flex min-h-full flex-col gap-5 px-[min(0.75rem,3.4vw)] py-4">
      <Link
        href={homePage(role)}
        className="flex items-center gap-2.5 self-start rounded-md px-2 font-brand text-brand tracking-[-0.01em]"
      >
        <Logo />
        Rampart
      </Link>
      <PaletteTrigger />
      <nav aria-label="Main" className="flex flex-col gap-5">
        {placesFor(role).map(({ title, places }) => (
          <div key={title} className="flex flex-col gap-px">
            <h2 className="mx-2 mb-1 font-label text-2xs text-faint tracking-[0.02em]">{title}</h2>
            {places.map(({ href, name, attention, tabs }) => (
              <NavLink
                key={href}
                href={href}
                icon={icons[href]}
                {...(tabs ? { tabs: tabs.map((tab) => tab.href) } : {})}
              >
                {name}
                {attention && <AttentionCount attention={attention} />}
              </NavLink>
            ))}
          </div>
        ))}
      </nav>
    </div>
  )
}

/** Lists that share one place in the sidebar have these tabs. Other pages have none. */
export function SectionTabs({ role }: { readonly role: Role }) {
  const path = usePathname()
  const place = placeGroups
    .flatMap(({ places }) => places)
    .find(({ tabs }) => tabs?.some(({ href }) => href === path))
  const tabs = place?.tabs?.filter(({ permission }) => may(role, permission)) ?? []
  if (!place || tabs.length < 2) return null
  return (
    <nav aria-label={place.name} className="-mt-2 mb-5 flex flex-wrap gap-x-1 border-b">
      {tabs.map(({ href, name, attention }) => (
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
