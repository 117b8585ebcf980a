'use client'

import {
  Clock,
  FileUp,
  Keyboard,
  KeyRound,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  PlugZap,
  Repeat2,
  Sun,
  UserPlus,
} from 'lucide-react'
import { chooseTheme } from '#components/ui/browser/chosen-theme.ts'
import { chooseZone, localZone } from '#components/ui/clock.ts'
import { permissionOfPage } from '#lib/access/rules/page-permissions.ts'
import { may, type Role } from '#lib/access/rules/roles.ts'
import { openKeys } from './open-keys.ts'

/** Something that the palette does: goes to a page, or does it here. */
export interface Command {
  readonly name: string
  /** Other words that people look for it by. */
  readonly words?: string
  readonly icon: LucideIcon
  readonly run: { readonly href: string } | (() => void)
}

/** What somebody of this role can do from any page. */
export const commandsFor = (role: Role, signOut: () => void): readonly Command[] => [
  ...pages.filter(({ run }) => mayOpen(role, run.href)),
  { name: 'Light theme', words: 'appearance bright', icon: Sun, run: () => chooseTheme('light') },
  { name: 'Dark theme', words: 'appearance night', icon: Moon, run: () => chooseTheme('dark') },
  {
    name: 'Theme of this device',
    words: 'appearance system',
    icon: Monitor,
    run: () => chooseTheme('system'),
  },
  { name: 'Times in UTC', words: 'time zone', icon: Clock, run: () => chooseZone('UTC') },
  { name: 'Times as here', words: 'time zone local', icon: Clock, run: () => chooseZone(localZone()) },
  { name: 'List of keys', words: 'keyboard shortcuts help', icon: Keyboard, run: openKeys },
  { name: 'Sign out', words: 'log out leave', icon: LogOut, run: signOut },
]

const pages = [
  { name: 'Add an endpoint', words: 'create new webhook', icon: PlugZap, run: { href: '/endpoints/new' } },
  { name: 'Add a person', words: 'create new user customer', icon: UserPlus, run: { href: '/users/new' } },
  { name: 'Import people', words: 'csv users customers', icon: FileUp, run: { href: '/users/import' } },
  { name: 'Replay webhooks', words: 'send deliveries again', icon: Repeat2, run: { href: '/replays/new' } },
  { name: 'Your sign-ins', words: 'passkeys sessions profile', icon: KeyRound, run: { href: '/profile' } },
] as const

function mayOpen(role: Role, path: string): boolean {
  const permission = permissionOfPage(path)
  return permission !== null && may(role, permission)
}
