import { may, type Permission, type Role } from '#lib/access/rules/roles.ts'
import type { AttentionCounts } from '#lib/operations/rules/health.ts'

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
        permission: 'see-alerts',
        attention: { count: 'alerts', words: ['not acknowledged', 'not acknowledged'] },
        tabs: [
          {
            href: '/alerts',
            name: 'Alerts',
            permission: 'see-alerts',
            attention: { count: 'alerts', words: ['not acknowledged', 'not acknowledged'] },
          },
          { href: '/alerts/mine', name: 'What you receive', permission: 'see-alerts' },
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

/** Each group has the places and tabs that this role may open. An empty group and a single tab are left out. */
export const placesFor = (role: Role) =>
  placeGroups
    .map(({ title, places }) => ({
      title,
      places: places
        .filter(({ permission }) => may(role, permission))
        .map(({ tabs: every = [], ...place }): SidebarPlace => {
          const tabs = every.filter(({ permission }) => may(role, permission))
          return tabs.length > 1 ? { ...place, tabs } : place
        }),
    }))
    .filter(({ places }) => places.length > 0)

/** The role may open these pages of the sidebar; each place and each tab comes once. */
export const pagesFor = (role: Role): readonly Place[] => placesFor(role).flatMap(eachPlace)

const eachPlace = ({ places }: { readonly places: readonly SidebarPlace[] }): readonly Place[] =>
  places.flatMap(({ tabs, ...place }) => tabs ?? [place])

/** The section of an address has this name: "People" for `users`. No sidebar leads to the first three. */
export const sectionNames: Readonly<Record<string, string>> = {
  go: 'Find',
  notices: 'Notices',
  profile: 'Your sign-ins',
  ...Object.fromEntries(placeGroups.flatMap(eachPlace).map(({ href, name }) => [href.slice(1), name])),
}

/** A page below a list that shows no single thing has this name. */
export const pageNames: Readonly<Record<string, string>> = {
  alerts: 'Alerts',
  import: 'Import',
  mine: 'What you receive',
  new: 'New',
  words: 'Words',
}
