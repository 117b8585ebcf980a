'use client'

import type { ReactNode } from 'react'
import { PaletteTrigger } from '#components/search/palette/palette-trigger.tsx'
import { Link } from '#components/ui/link.tsx'
import { Logo } from '#components/ui/logo.tsx'
import { homePage } from '#lib/access/rules/home-page.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { LookCount } from './look-count.tsx'
import { NavLink } from './nav-link.tsx'
import { placesFor, type SidebarHref } from './places.ts'

/** What somebody of this role can go to. The same stands at the left of a wide page and in the drawer of a narrow one. */
export function Sidebar({
  role,
  icons,
}: {
  readonly role: Role
  /** Given by the server, so that they are no part of the scripts. */
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
            {places.map(({ href, name, look, tabs }) => (
              <NavLink
                key={href}
                href={href}
                icon={icons[href]}
                {...(tabs ? { tabs: tabs.map((tab) => tab.href) } : {})}
              >
                {name}
                {look && <LookCount look={look} />}
              </NavLink>
            ))}
          </div>
        ))}
      </nav>
    </div>
  )
}
