import { may, type Permission, type Role } from '#lib/access/rules/roles.ts'
import type { AttentionCounts } from '#lib/operations/rules/health.ts'
import { ownValue } from '#lib/platform/rules/names.ts'

/** Each place has an icon in the sidebar. */
export type SidebarHref =
  | '/overview'
  | '/alerts'
  | '/transactions'
  | '/users'
  | '/accounts'
  | '/companies'
  | '/timeline'
  | '/endpoints'
  | '/team'
  | '/audit'
  | '/settings'

/** A place is a page, or a list with all pages below it. */
export interface Place {
  readonly href: string
  readonly name: string
  /** The place requires this permission. */
  readonly permission: Permission
  /** `attention` says how many things of the place need attention, and what they are. */
  readonly attention?: Attention
}

export interface Attention {
  readonly count: keyof AttentionCounts
  /** The words follow the number, for one and for several. */
  readonly words: readonly [one: string, several: string]
}

export interface SidebarPlace extends Place {
  readonly href: SidebarHref
  /** The tabs are beside the place, itself first. */
  readonly tabs?: readonly Place[]
}

/**
 * The sidebar has these places in this order. The palette's commands and the place of each page are read from it
 * too.
 */
export const placeGroups: readonly { readonly title: string; readonly places: readonly SidebarPlace[] }[] = [
  {
    title: 'Work',
    places: [
      { href: '/overview', name: 'Overview', permission: 'see-everything' },
      {
        href: '/alerts',
        name: 'Alerts',
        permission: 'see-endpoint-health',
        attention: { count: 'alerts', words: ['not acknowledged', 'not acknowledged'] },
        tabs: [
          {
            href: '/alerts',
            name: 'Alerts',
            permission: 'see-endpoint-health',
            attention: { count: 'alerts', words: ['not acknowledged', 'not acknowledged'] },
          },
          { href: '/alerts/mine', name: 'What you receive', permission: 'see-endpoint-health' },
        ],
      },
      {
        href: '/transactions',
        name: 'Transactions',
        permission: 'see-everything',
        attention: { count: 'held', words: ['on hold, not snoozed', 'on hold, not snoozed'] },
      },
      {
        href: '/users',
        name: 'People',
        permission: 'see-everything',
        attention: {
          count: 'people',
          words: ['needs attention, not snoozed', 'need attention, not snoozed'],
        },
      },
      {
        href: '/accounts',
        name: 'Accounts',
        permission: 'see-everything',
        attention: { count: 'accounts', words: ['failed lately, not snoozed', 'failed lately, not snoozed'] },
      },
      {
        href: '/companies',
        name: 'Companies',
        permission: 'see-everything',
        attention: {
          count: 'companies',
          words: ['failed lately, not snoozed', 'failed lately, not snoozed'],
        },
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
        attention: { count: 'endpoints', words: ['needs attention', 'need attention'] },
        tabs: [
          { href: '/endpoints', name: 'Endpoints', permission: 'see-endpoint-health' },
          {
            href: '/gaps',
            name: 'Missed deliveries',
            permission: 'see-endpoint-health',
            attention: { count: 'gaps', words: ['open, not snoozed', 'open, not snoozed'] },
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

/** Each group has the places that this role may open; an empty group is left out. */
export const placesFor = (role: Role) =>
  placeGroups
    .map(({ title, places }) => ({ title, places: places.filter(({ permission }) => may(role, permission)) }))
    .filter(({ places }) => places.length > 0)

/** Each place and each tab comes once. */
const allPlaces: readonly Place[] = placeGroups.flatMap(({ places }) =>
  places.flatMap(({ tabs, ...place }) => tabs ?? [place]),
)

/** No sidebar leads to these pages; they are listed by their section. */
const otherSections: Readonly<Record<string, string>> = {
  go: 'Find',
  notices: 'Notices',
  profile: 'Your sign-ins',
}

/** The section of an address has this name: "People" for `users`. */
export const sectionName = (section: string): string =>
  allPlaces.find(({ href }) => href === `/${section}`)?.name ?? ownValue(otherSections, section) ?? section

/** A page below a list that shows no single thing has this name; null for the page of a thing. */
export const pageName = (part: string): string | null => ownValue(pageNames, part) ?? null

const pageNames: Readonly<Record<string, string>> = {
  alerts: 'Alerts',
  import: 'Import',
  mine: 'What you receive',
  new: 'New',
  words: 'Words',
}

/** The address is this place or below it. */
export const isAt = (path: string, href: string): boolean => path === href || path.startsWith(`${href}/`)
