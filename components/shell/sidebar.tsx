import {
  ArrowDownUp,
  BookUser,
  CircleDashed,
  LayoutDashboard,
  Logs,
  type LucideIcon,
  Repeat2,
  ScrollText,
  Settings,
  UsersRound,
  Webhook,
} from 'lucide-react'
import Link from 'next/link'
import { may, type Permission, type Role } from '#lib/domain/access/roles.ts'
import { Logo } from '../ui/logo.tsx'
import { NavLink } from './nav-link.tsx'
import { QuickSearchBox } from './quick-search-box.tsx'

/** What somebody of this role can go to. The same stands at the left of a wide page and in the drawer of a narrow one. */
export function Sidebar({ role }: { readonly role: Role }) {
  return (
    <div className="flex h-full flex-col gap-5 px-3 py-4">
      <Link
        href="/transactions"
        className="flex items-center gap-2.5 self-start rounded-md px-2 font-brand text-brand tracking-[-0.01em]"
      >
        <Logo />
        Rampart
      </Link>
      <QuickSearchBox />
      <nav aria-label="Main" className="flex flex-col gap-5">
        {groups.map(({ title, places }) => (
          <div key={title} className="flex flex-col gap-px">
            {title && <h2 className="mx-2 mb-1 font-label text-2xs text-faint tracking-[0.02em]">{title}</h2>}
            {places
              .filter(({ permission }) => may(role, permission))
              .map(({ href, icon: Icon, name }) => (
                <NavLink key={href} href={href} icon={<Icon aria-hidden />}>
                  {name}
                </NavLink>
              ))}
          </div>
        ))}
      </nav>
    </div>
  )
}

interface Place {
  readonly href: string
  readonly name: string
  readonly icon: LucideIcon
  /** What its page asks for. */
  readonly permission: Permission
}

const groups: readonly { readonly title: string | null; readonly places: readonly Place[] }[] = [
  {
    title: null,
    places: [
      { href: '/overview', name: 'Overview', icon: LayoutDashboard, permission: 'see-endpoint-health' },
      { href: '/transactions', name: 'Transactions', icon: ArrowDownUp, permission: 'see-everything' },
      { href: '/timeline', name: 'Timeline', icon: Logs, permission: 'see-everything' },
      { href: '/users', name: 'Users', icon: BookUser, permission: 'see-everything' },
    ],
  },
  {
    title: 'Merchant',
    places: [
      { href: '/endpoints', name: 'Endpoints', icon: Webhook, permission: 'see-endpoint-health' },
      { href: '/gaps', name: 'Gaps', icon: CircleDashed, permission: 'see-endpoint-health' },
      { href: '/replays', name: 'Replays', icon: Repeat2, permission: 'replay-deliveries' },
      { href: '/audit', name: 'Audit', icon: ScrollText, permission: 'read-audit' },
      { href: '/settings', name: 'Settings', icon: Settings, permission: 'manage-settings' },
      { href: '/team', name: 'Team', icon: UsersRound, permission: 'manage-team' },
    ],
  },
]
