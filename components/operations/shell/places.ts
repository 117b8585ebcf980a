import { may, type Permission, type Role } from '#lib/access/rules/roles.ts'
import type { LookCounts } from '#lib/operations/rules/health.ts'
import { ownValue } from '#lib/platform/rules/names.ts'

/** Each has an icon in the sidebar. */
export type SidebarHref =
  | '/overview'
  | '/transactions'
  | '/users'
  | '/accounts'
  | '/companies'
  | '/timeline'
  | '/endpoints'
  | '/team'
  | '/audit'
  | '/settings'

/** A page, or a list with all pages below it. */
export interface Place {
  readonly href: string
  readonly name: string
  /** What its page asks for. */
  readonly permission: Permission
  /** How many of it need a look, and what they are. */
  readonly look?: Look
}

export interface Look {
  readonly count: keyof LookCounts
  /** What follows the number, of one and of several. */
  readonly words: readonly [one: string, several: string]
}

export interface SidebarPlace extends Place {
  readonly href: SidebarHref
  /** What stands beside it as tabs, itself first. */
  readonly tabs?: readonly Place[]
}

/** Where somebody can go, in the order of the sidebar. Commands and the place that a page belongs to are read from it as well. */
export const placeGroups: readonly { readonly title: string; readonly places: readonly SidebarPlace[] }[] = [
  {
    title: 'Work',
    places: [
      { href: '/overview', name: 'Overview', permission: 'see-everything' },
      {
        href: '/transactions',
        name: 'Transactions',
        permission: 'see-everything',
        look: { count: 'held', words: ['on hold, not muted', 'on hold, not muted'] },
      },
      {
        href: '/users',
        name: 'People',
        permission: 'see-everything',
        look: { count: 'people', words: ['needs a look, not muted', 'need a look, not muted'] },
      },
      {
        href: '/accounts',
        name: 'Accounts',
        permission: 'see-everything',
        look: { count: 'accounts', words: ['failed lately, not muted', 'failed lately, not muted'] },
      },
      {
        href: '/companies',
        name: 'Companies',
        permission: 'see-everything',
        look: { count: 'companies', words: ['failed lately, not muted', 'failed lately, not muted'] },
      },
      { href: '/timeline', name: 'Timeline', permission: 'see-everything' },
    ],
  },
  {
    title: 'Delivery',
    places: [
      {
        href: '/endpoints',
        name: 'Endpoints',
        permission: 'see-endpoint-health',
        look: { count: 'endpoints', words: ['needs a look', 'need a look'] },
        tabs: [
          { href: '/endpoints', name: 'Endpoints', permission: 'see-endpoint-health' },
          {
            href: '/gaps',
            name: 'Gaps',
            permission: 'see-endpoint-health',
            look: { count: 'gaps', words: ['gap open, not muted', 'gaps open, not muted'] },
          },
          { href: '/replays', name: 'Replays', permission: 'replay-deliveries' },
        ],
      },
    ],
  },
  {
    title: 'Merchant',
    places: [
      { href: '/team', name: 'Team', permission: 'manage-team' },
      { href: '/audit', name: 'Audit', permission: 'read-audit' },
      { href: '/settings', name: 'Settings', permission: 'manage-settings' },
    ],
  },
]

/** The groups with what this role may open; a group of nothing is left out. */
export const placesFor = (role: Role) =>
  placeGroups
    .map(({ title, places }) => ({ title, places: places.filter(({ permission }) => may(role, permission)) }))
    .filter(({ places }) => places.length > 0)

/** All places, tabs among them, each once. */
const allPlaces: readonly Place[] = placeGroups.flatMap(({ places }) =>
  places.flatMap(({ tabs, ...place }) => tabs ?? [place]),
)

/** Pages that no sidebar leads to, by their section. */
const otherSections: Readonly<Record<string, string>> = {
  go: 'Find',
  notices: 'Notices',
  profile: 'Your sign-ins',
}

/** What the section of an address is called: "People" for `users`. */
export const sectionName = (section: string): string =>
  allPlaces.find(({ href }) => href === `/${section}`)?.name ?? ownValue(otherSections, section) ?? section

/** What a page below a list is called that shows no one thing of it; null for the page of a thing. */
export const pageName = (part: string): string | null => ownValue(pageNames, part) ?? null

const pageNames: Readonly<Record<string, string>> = { import: 'Import', new: 'New', words: 'Words' }

/** Whether an address is this place or below it. */
export const isAt = (path: string, href: string): boolean => path === href || path.startsWith(`${href}/`)
