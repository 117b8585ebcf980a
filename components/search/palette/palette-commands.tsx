'use client'

import {
  BellRing,
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
import { chooseTimes } from '#components/ui/clock.ts'
import { permissionOfPage } from '#lib/access/rules/pages.ts'
import { may, type Role } from '#lib/access/rules/roles.ts'
import { openKeys } from './palette-state.ts'

/** A command of the palette opens a page, or does something here. */
interface Command {
  readonly name: string
  /** People may search for the command by these words. */
  readonly words?: string
  readonly icon: LucideIcon
  readonly run: { readonly href: string } | (() => void)
}

/** This role can run these commands from any page. */
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
  { name: 'Times in UTC', words: 'time zone', icon: Clock, run: () => chooseTimes('utc') },
  { name: 'Times in local time', words: 'time zone local', icon: Clock, run: () => chooseTimes('local') },
  { name: 'List of keys', words: 'keyboard shortcuts help', icon: Keyboard, run: openKeys },
  { name: 'Sign out', words: 'log out leave', icon: LogOut, run: signOut },
]

const pages = [
  { name: 'Add an endpoint', words: 'create new webhook', icon: PlugZap, run: { href: '/endpoints/new' } },
  { name: 'Add a person', words: 'create new user customer', icon: UserPlus, run: { href: '/users/new' } },
  { name: 'Import people', words: 'csv users customers', icon: FileUp, run: { href: '/users/import' } },
  { name: 'Replay webhooks', words: 'send deliveries again', icon: Repeat2, run: { href: '/replays/new' } },
  {
    name: 'Rules and channels of alerts',
    words: 'slack teams webhook notify threshold',
    icon: BellRing,
    run: { href: '/settings/alerts' },
  },
  { name: 'Your sign-ins', words: 'passkeys sessions profile', icon: KeyRound, run: { href: '/profile' } },
] as const

function mayOpen(role: Role, path: string): boolean {
  const permission = permissionOfPage(path)
  return permission !== null && may(role, permission)
}

/** The page under the palette offers this command by its own button or link. */
interface PageCommand {
  readonly name: string
  readonly element: HTMLElement
}

/**
 * The open page marks its commands: a control with `data-commands`, or the controls in a group with it, whose value
 * names them when their own text does not. Only controls of the page and its menus count, so the role decides
 * there.
 */
export function pageCommands(): PageCommand[] {
  const byName = new Map<string, PageCommand>()
  for (const element of document.querySelectorAll<HTMLElement>(controls)) {
    const name = element.closest<HTMLElement>('[data-commands]')?.dataset.commands || nameOf(element)
    if (name !== '' && isOffered(element) && !byName.has(name)) byName.set(name, { name, element })
  }
  return [...byName.values()]
}

/** The command does the same as a press on its control. */
export function runPageCommand(name: string): void {
  const element = pageCommands().find((command) => command.name === name)?.element
  element?.focus()
  element?.click()
}

/** A button that only opens a menu is left out: the items of the menu are listed instead. */
const controls = ['main [data-commands]', 'main [data-commands] *']
  .map((where) => `${where}:is(a[href], button:enabled:not([popovertarget]))`)
  .join(', ')

const isOffered = (element: HTMLElement) =>
  element.closest('[popover]') !== null || element.checkVisibility({ visibilityProperty: true })

/** The name is the text that a screen reader reads, without what is only seen. */
function nameOf(element: HTMLElement): string {
  const label = element.getAttribute('aria-label')
  if (label !== null) return label
  const copy = element.cloneNode(true)
  if (!(copy instanceof HTMLElement)) return ''
  for (const seen of copy.querySelectorAll('[aria-hidden=true]')) seen.remove()
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim()
}
