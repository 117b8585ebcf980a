import {
  ArrowDownUp,
  BookUser,
  Building2,
  Landmark,
  LayoutDashboard,
  Logs,
  type LucideIcon,
  ScrollText,
  Settings,
  UsersRound,
  Webhook,
} from 'lucide-react'
import Link from 'next/link'
import { homePage } from '#lib/domain/access/home-page.ts'
import type { Role } from '#lib/domain/access/roles.ts'
import { PaletteTrigger } from '../palette/palette-trigger.tsx'
import { Logo } from '../ui/logo.tsx'
import { LookCount } from './look-count.tsx'
import { NavLink } from './nav-link.tsx'
import { placesFor, type SidebarHref } from './places.ts'

/** What somebody of this role can go to. The same stands at the left of a wide page and in the drawer of a narrow one. */
export function Sidebar({ role }: { readonly role: Role }) {
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
            {places.map(({ href, name, look, tabs }) => {
              const Icon = icons[href]
              return (
                <NavLink
                  key={href}
                  href={href}
                  icon={<Icon aria-hidden />}
                  {...(tabs ? { tabs: tabs.map((tab) => tab.href) } : {})}
                >
                  {name}
                  {look && <LookCount look={look} />}
                </NavLink>
              )
            })}
          </div>
        ))}
      </nav>
    </div>
  )
}

const icons = {
  '/overview': LayoutDashboard,
  '/transactions': ArrowDownUp,
  '/users': BookUser,
  '/accounts': Landmark,
  '/companies': Building2,
  '/timeline': Logs,
  '/endpoints': Webhook,
  '/team': UsersRound,
  '/audit': ScrollText,
  '/settings': Settings,
} as const satisfies Record<SidebarHref, LucideIcon>
