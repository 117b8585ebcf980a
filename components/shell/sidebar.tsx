import { ArrowDownUp, CircleDashed, LayoutDashboard, Logs, Webhook } from 'lucide-react'
import Link from 'next/link'
import { Logo } from '../ui/logo.tsx'
import { FindBox } from './find-box.tsx'
import { NavLink } from './nav-link.tsx'

/** What staff can go to. The same stands at the left of a wide page and in the drawer of a narrow one. */
export function Sidebar() {
  return (
    <div className="flex h-full flex-col gap-5 px-3 py-4">
      <Link
        href="/transactions"
        className="flex items-center gap-2.5 self-start rounded-md px-2 font-[650] text-[1rem] tracking-[-0.01em]"
      >
        <Logo />
        Rampart
      </Link>
      <FindBox />
      <nav aria-label="Main" className="flex flex-col gap-5">
        <div className="flex flex-col gap-px">
          <NavLink href="/overview" icon={<LayoutDashboard aria-hidden />}>
            Overview
          </NavLink>
          <NavLink href="/transactions" icon={<ArrowDownUp aria-hidden />}>
            Transactions
          </NavLink>
          <NavLink href="/timeline" icon={<Logs aria-hidden />}>
            Timeline
          </NavLink>
        </div>
        <div className="flex flex-col gap-px">
          <h2 className="mx-2 mb-1 font-[550] text-2xs text-faint tracking-[0.02em]">Merchant</h2>
          <NavLink href="/endpoints" icon={<Webhook aria-hidden />}>
            Endpoints
          </NavLink>
          <NavLink href="/gaps" icon={<CircleDashed aria-hidden />}>
            Gaps
          </NavLink>
        </div>
      </nav>
    </div>
  )
}
