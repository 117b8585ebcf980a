import type { RefusalReason } from '#lib/deliveries/rules/refusal-reasons.ts'

interface RefusalLabel {
  /** After a number of deliveries: "12 carried another secret". */
  readonly what: string
  /** What staff can do about it while it goes on, read on the endpoint's own page too; null when nothing is to be done. */
  readonly remedy: string | null
}

const secret = 'Repair the endpoint, or rotate its secret where no repair is offered.'
const takenAway =
  'Look at the proxy in front of this dashboard, or the service’s way to it: have it pass the Authorization header on as it came.'
const busy = 'Look at the database and at the load of this machine.'
const network = 'Look at the network between the service and this dashboard.'

/** Why deliveries were not taken, and what helps. */
const refusalLabels = {
  'wrong-secret': { what: 'carried another secret', remedy: secret },
  'no-authorization': { what: 'came without Authorization', remedy: takenAway },
  'other-scheme': { what: 'carried another Authorization than API-Key', remedy: takenAway },
  'too-large': { what: 'had more than 1 MiB', remedy: 'Ask the provider why they are so large.' },
  encoded: {
    what: 'had a body whose compression cannot be undone',
    remedy: 'Ask the provider to compress by gzip, or not at all.',
  },
  'unknown-receiver': { what: 'came to an address that is closed here', remedy: secret },
  'secret-not-known-yet': { what: 'came while the secret was being made or rotated', remedy: secret },
  'secret-not-checkable': {
    what: 'could not be checked with the keys of this server',
    remedy: 'Put the earlier keys back into RAMPART_KEYS and restart.',
  },
  'queue-full': { what: 'came while too many were waiting', remedy: busy },
  'too-late': { what: 'could not be stored in time', remedy: busy },
  'no-memory': { what: 'found no memory left for their body', remedy: busy },
  database: {
    what: 'could not be stored, since the database did not answer',
    remedy: 'Look at the database.',
  },
  'too-slow': { what: 'came too slowly', remedy: network },
  'broken-off': { what: 'broke off before they were whole', remedy: network },
  'wrong-method': { what: 'were no deliveries', remedy: null },
} as const satisfies Record<RefusalReason, RefusalLabel>

type RefusalCounts = readonly { readonly why: RefusalReason | null; readonly count: number }[]

/** "50 could not be checked with the keys of this server, 3 came too slowly". */
export const refusalReasonsMessage = (reasons: RefusalCounts): string =>
  reasons
    .map(
      ({ why, count }) =>
        `${count.toLocaleString('en')} ${why ? refusalLabels[why].what : 'for another reason'}`,
    )
    .join(', ')

/** What helps against most of them; null when nothing is known. */
export function refusalRemedy(reasons: RefusalCounts): string | null {
  const [most] = reasons
  return most?.why ? refusalLabels[most.why].remedy : null
}
