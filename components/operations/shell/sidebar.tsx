import {
  ArrowDownUp,
  BellRing,
  BookUser,
  Building2,
  Landmark,
  LayoutDashboard,
  Logs,
  ScrollText,
  Settings,
  UsersRound,
  Webhook,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { PaletteTrigger } from '#components/search/palette/palette-host.tsx'
import { Link } from '#components/ui/link.tsx'
import { Logo } from '#components/ui/logo.tsx'
import { homePage } from '#lib/access/rules/pages.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { AttentionCount, NavLink } from './navigation.tsx'
import { placesFor, type SidebarHref } from './places.ts'

/**
 * The sidebar has the places that this role may open. It is at the left of a wide page and in the drawer of a
 * narrow one.
 */
export const Sidebar = ({ role }: { readonly role: Role }) => (
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

const icons: Readonly<Record<SidebarHref, ReactNode>> = {
  '/overview': <LayoutDashboard aria-hidden />,
  '/alerts': <BellRing aria-hidden />,
  '/transactions': <ArrowDownUp aria-hidden />,
  '/users': <BookUser aria-hidden />,
  '/accounts': <Landmark aria-hidden />,
  '/companies': <Building2 aria-hidden />,
  '/timeline': <Logs aria-hidden />,
  '/endpoints': <Webhook aria-hidden />,
  '/team': <UsersRound aria-hidden />,
  '/audit': <ScrollText aria-hidden />,
  '/settings': <Settings aria-hidden />,
}
