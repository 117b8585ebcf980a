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
import type { SidebarHref } from './places.ts'

/** The server makes these icons for `Sidebar`, which the browser draws too. */
export const sidebarIcons: Readonly<Record<SidebarHref, ReactNode>> = {
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
