import type { Subject } from '../../../lib/deliveries/rules/subject.ts'
import {
  drawAccount,
  drawHeldTwice,
  drawRepeating,
  drawToggling,
  drawTogglingVerification,
  drawTransaction,
  drawVerification,
  type Life,
  type RandomSource,
  type Stays,
} from './paths.ts'
import { changes, type EndpointChangeKind, quietWorld, usualWorld, type WorldSettings } from './world.ts'

/** A class of lives is one row of the table. */
export interface LifeClass {
  readonly name: string
  readonly group: LifeGroup
  readonly kind: Subject['kind']
  readonly draw: (random: RandomSource) => Life
  readonly endpoints: readonly (readonly [weight: number, count: number])[]
  readonly change: EndpointChangeKind | null
  readonly world: WorldSettings
  /** When true, each delivery comes with what is known of receivers, refusals and our own downtime. */
  readonly evidence: boolean
  /** When true, only lives count in which an event reached an endpoint by a retry alone. */
  readonly onlyDelayed: boolean
  /** The share is that of the requested lives. */
  readonly share: number
}

export const lifeGroups = [
  'transactions',
  'accounts and KYC',
  'KYC that toggles',
  'endpoints that change',
  'transactions without trouble',
  'accounts and KYC without trouble',
  'own outages',
] as const
export type LifeGroup = (typeof lifeGroups)[number]

const two = [[1, 2]] as const
const one = [[1, 1]] as const
const three = [[1, 3]] as const
const oneToThree = [
  [2, 1],
  [2, 2],
  [1, 3],
] as const

const plain = { change: null, world: usualWorld, evidence: true, onlyDelayed: false, share: 0.1 } as const
const transactions = { ...plain, group: 'transactions', kind: 'transaction', draw: drawTransaction } as const
const repeating = { ...transactions, draw: drawRepeating } as const
const accounts = { ...plain, group: 'accounts and KYC', kind: 'bank-account', draw: drawAccount } as const
const verification = { ...plain, group: 'accounts and KYC', kind: 'entity', draw: drawVerification } as const
const toggling = (stays: Stays) => ({ ...accounts, draw: drawToggling(stays) })
const togglingKyc = (stays: Stays) =>
  ({ ...verification, group: 'KYC that toggles', draw: drawTogglingVerification(stays) }) as const

const withDeaths: WorldSettings = {
  ...usualWorld,
  silencesPerDay: 0,
  deathsPerDay: 48,
  deathLasts: [60_000, 60_000],
}
const quiet: WorldSettings = { ...usualWorld, busy: false }
const withTimeOuts: WorldSettings = { ...usualWorld, longestTimeOut: 60_000 }
const withRefusals: WorldSettings = { ...usualWorld, silencesPerDay: 0, deathsPerDay: 0, refusingPerDay: 48 }

const ownOutages = { ...quietWorld, lostShare: usualWorld.lostShare }
/** Each of these worlds has outages of our own and nothing else. */
const outages: readonly (readonly [name: string, world: WorldSettings])[] = [
  ['restarts of 2 to 60 s', { ...ownOutages, deathsPerDay: 96, deathLasts: [2_000, 60_000] }],
  [
    'fail-overs',
    { ...ownOutages, refusingUnreadPerDay: 96, refusingUnreadLasts: [3_000, 30_000], failsOver: true },
  ],
  ['deployments every hour', { ...ownOutages, replacingPerDay: 24 }],
  ['refused unread', { ...ownOutages, refusingUnreadPerDay: 96, refusingUnreadLasts: [5_000, 120_000] }],
  ['late evidence', { ...ownOutages, deathsPerDay: 96, deathLasts: [2_000, 60_000], lateMs: 5_000 }],
]

/** The first class has always been measured in the same way, so its figures can be compared. */
export const lifeClasses: readonly LifeClass[] = [
  { ...transactions, name: 'transactions', endpoints: two, share: 1 },
  { ...transactions, name: 'transactions, no evidence', endpoints: two, evidence: false },
  { ...transactions, name: 'transactions, 1 endpoint', endpoints: one },
  { ...transactions, name: 'transactions, 3 endpoints', endpoints: three },
  { ...transactions, name: 'transactions, little traffic', endpoints: oneToThree, world: quiet },
  { ...transactions, name: 'transactions, deaths', endpoints: oneToThree, world: withDeaths },
  { ...transactions, name: 'transactions, time-outs 60 s', endpoints: oneToThree, world: withTimeOuts },
  { ...transactions, name: 'transactions, own 503', endpoints: oneToThree, world: withRefusals },
  { ...accounts, name: 'accounts, 1 endpoint', endpoints: one },
  { ...accounts, name: 'accounts, 2 endpoints', endpoints: two },
  { ...accounts, name: 'accounts, 3 endpoints', endpoints: three },
  { ...accounts, name: 'accounts, little traffic', endpoints: oneToThree, world: quiet },
  { ...accounts, name: 'accounts, deaths', endpoints: oneToThree, world: withDeaths },
  { ...accounts, name: 'accounts, time-outs 60 s', endpoints: oneToThree, world: withTimeOuts },
  { ...accounts, name: 'accounts, own 503', endpoints: oneToThree, world: withRefusals },
  { ...verification, name: 'KYC, 1 endpoint', endpoints: one },
  { ...verification, name: 'KYC, 2 endpoints', endpoints: two },
  { ...verification, name: 'KYC, 3 endpoints', endpoints: three },
  { ...verification, name: 'KYC, little traffic', endpoints: oneToThree, world: quiet },
  { ...verification, name: 'KYC, deaths', endpoints: oneToThree, world: withDeaths },
  { ...verification, name: 'KYC, time-outs 60 s', endpoints: oneToThree, world: withTimeOuts },
  { ...verification, name: 'KYC, own 503', endpoints: oneToThree, world: withRefusals },
  ...toggles('2 to 40 s', [2, 40]),
  ...toggles('40 s to 10 min', [40, 600]),
  ...toggles('10 min to 6 h', [600, 6 * 3_600]),
  ...changes.flatMap((change): LifeClass[] => [
    {
      ...repeating,
      name: `transactions, ${change}`,
      group: 'endpoints that change',
      endpoints: oneToThree,
      change,
    },
    {
      ...accounts,
      name: `accounts, ${change}`,
      group: 'endpoints that change',
      endpoints: oneToThree,
      change,
    },
    {
      ...verification,
      name: `KYC, ${change}`,
      group: 'endpoints that change',
      endpoints: oneToThree,
      change,
    },
  ]),
  ...[one, two].flatMap((endpoints): LifeClass[] => {
    const quiet = { group: 'accounts and KYC without trouble', world: quietWorld, endpoints } as const
    const count = `${endpoints[0][1]} endpoint${endpoints === two ? 's' : ''}, no trouble`
    return [
      { ...transactions, ...quiet, group: 'transactions without trouble', name: `transactions, ${count}` },
      { ...accounts, ...quiet, name: `accounts, ${count}` },
      { ...verification, ...quiet, name: `KYC, ${count}` },
      { ...toggling([40, 600]), ...quiet, name: `accounts that toggle, ${count}` },
      { ...togglingKyc([40, 600]), ...quiet, name: `KYC that toggles, ${count}` },
    ]
  }),
  ...outages.flatMap(([name, world]): LifeClass[] => {
    const affected = {
      group: 'own outages',
      world,
      endpoints: oneToThree,
      onlyDelayed: true,
      share: 0.2,
    } as const
    return [
      { ...transactions, ...affected, name: `transactions, ${name}` },
      { ...transactions, ...affected, draw: drawHeldTwice, name: `two holds, ${name}` },
      { ...accounts, ...affected, name: `accounts, ${name}` },
      { ...verification, ...affected, name: `KYC, ${name}` },
    ]
  }),
]

function toggles(name: string, stays: Stays): LifeClass[] {
  return [
    { ...toggling(stays), name: `toggles ${name}, 1 endpoint`, endpoints: one },
    { ...toggling(stays), name: `toggles ${name}, 2 endpoints`, endpoints: two },
    { ...togglingKyc(stays), name: `KYC toggles ${name}, 1 endpoint`, endpoints: one },
    { ...togglingKyc(stays), name: `KYC toggles ${name}, 2 endpoints`, endpoints: two },
  ]
}
