import { AttentionRow } from '#components/operations/overview/attention-row.tsx'
import { HoursChart } from '#components/operations/overview/figures.tsx'
import { PageStateIndicator } from '#components/operations/shell/page-state-indicator.tsx'
import { pageStateMeanings } from '#components/operations/shell/page-state-meanings.ts'
import { Card } from '#components/ui/card.tsx'
import { Feed } from '#components/ui/live/live.tsx'
import { LiveFeed, type LiveState } from '#components/ui/live/live-feed.ts'
import { type Direction, finalRank, rankOf } from '#lib/deliveries/rules/steps.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { type GapKind, gapKinds } from '#lib/endpoints/rules/gaps.ts'
import type { AttentionItem } from '#lib/operations/overview/attention-items.ts'
import type { HourView } from '#lib/operations/overview/figures.ts'
import {
  type AttentionKind,
  attentionKinds,
  type EventAttentionKind,
  type TransactionAttentionKind,
} from '#lib/operations/rules/attention-kinds.ts'
import type { Health, OpenGap, PageState } from '#lib/operations/rules/health.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { Amounts } from '../(staff)/transactions/[uuid]/amounts.tsx'
import { StepRail } from '../(staff)/transactions/[uuid]/step-rail.tsx'

const noParties = {
  walletAddress: null,
  sendingAddress: null,
  sender: null,
  beneficiary: null,
  internalBankAccountId: null,
  linkedBankAccountUuid: null,
  remoteBankAccountUuid: null,
}

const id = '2046967a-3a52-4a51-9a3f-1f2b3c4d1329'
const begin = Date.parse('2026-02-01T10:00:00.123Z')
const after = (seconds: number) => new Date(begin + seconds * 1000).toISOString()

/** The event has its place by rule, before the step that follows. */
interface Placed {
  readonly placed: string
}

/** The transaction passed these steps, a minute and a half apart. */
function transaction(
  direction: Direction | null,
  steps: readonly (string | Placed)[],
  more: Partial<TransactionDetailsView> = {},
): TransactionDetailsView {
  const events = steps.map((step, nth): EventDetailsView => {
    const subType = typeof step === 'string' ? step : step.placed
    return {
      ...event(direction, subType, null),
      id: `${nth}`,
      position: nth,
      rank: rankOf({
        type: direction,
        subType,
        uuid: null,
        data: null,
        fields: new Map(),
        hidden: [],
        text: '',
      }),
      firstReceivedAt: after(nth * 90),
      placedBefore: typeof step === 'string' ? null : after((nth + 1) * 90),
      body: null,
      wholeBody: 'plain',
      bodyLeft: null,
      received: [],
    }
  })
  const last = events.at(-1)
  const end = last?.firstReceivedAt ?? after(0)
  return {
    uuid: id,
    subjectId: `transaction:${id}`,
    direction,
    step: last?.subType ?? null,
    reason: null,
    amountFiat: '1816.45',
    amountCrypto: '1962.1234567',
    amountRefunded: null,
    fees: null,
    limit: null,
    currencyFiat: 'GBP',
    currencyCrypto: 'USDC',
    chain: 'polygon',
    transactionHash: null,
    userUuid: id,
    userEmail: 'ana@example.com',
    flags: [],
    stuck: false,
    startedAt: after(0),
    lastMoveAt: end,
    finishedAt: (last?.rank ?? 0) >= finalRank ? end : null,
    parties: noParties,
    lastReceivedAt: end,
    durationSeconds: null,
    turn: null,
    revealable: [],
    events,
    ...more,
  }
}

function event(type: string | null, subType: string | null, status: string | null) {
  return {
    subjectId: `entity:${id}`,
    id,
    type,
    subType,
    status,
    entityUuid: id,
    deliveries: 1,
    firstReceivedAt: after(0),
    lastReceivedAt: after(0),
    placedBefore: null,
    cameAgainId: null,
    cameAgainAt: null,
    flags: [],
    unreadable: null,
    transactionUuid: null,
    userEmail: 'ana@example.com',
    restricted: false,
  }
}

const toCrypto = (...steps: readonly (string | Placed)[]) => transaction('fiatToCrypto', steps)
const toFiat = (...steps: readonly (string | Placed)[]) => transaction('cryptoToFiat', steps)

/** The transactions show each step, and the other cases of amounts and rail. */
export const shownTransactions: Readonly<Record<string, TransactionDetailsView>> = {
  Created: toCrypto('PENDING'),
  'In progress': toCrypto('PENDING', 'IN_PROGRESS'),
  'On hold': toCrypto('PENDING', 'IN_PROGRESS', 'ON_HOLD'),
  'On its way': toCrypto('PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED'),
  Finished: toCrypto('PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'),
  Failed: toCrypto('PENDING', 'IN_PROGRESS', 'FAILED'),
  Refunded: transaction('fiatToCrypto', ['PENDING', 'IN_PROGRESS', 'ON_HOLD', 'FAILED', 'REFUNDED'], {
    amountRefunded: '1810',
  }),
  'To fiat, created': toFiat('PENDING'),
  'To fiat, in progress': toFiat('PENDING', 'IN_PROGRESS'),
  'To fiat, on hold': toFiat('PENDING', 'ON_HOLD'),
  'To fiat, on its way': toFiat('PENDING', 'IN_PROGRESS', 'FIAT_TRANSFER_ISSUED'),
  'To fiat, finished': toFiat('PENDING', 'IN_PROGRESS', 'FIAT_TRANSFER_ISSUED', 'SUCCESS'),
  'To fiat, failed': toFiat('PENDING', 'FAILED'),
  'To fiat, below the minimum': toFiat('PENDING', 'LIMIT_BREACHED'),
  'To fiat, returned': transaction('cryptoToFiat', ['PENDING', 'FAILED', 'REFUNDED'], {
    amountRefunded: '1962.12',
  }),
  'A step placed by rule': toCrypto('PENDING', { placed: 'IN_PROGRESS' }, 'CRYPTO_TRANSFER_ISSUED'),
  Contradicted: transaction('fiatToCrypto', ['PENDING', 'SUCCESS', 'FAILED'], { flags: ['conflict'] }),
  'A step that nobody knows': toCrypto('PENDING', 'BRAND_NEW'),
  'One amount': transaction('fiatToCrypto', ['PENDING'], { amountCrypto: null, currencyCrypto: null }),
  'No amounts': transaction('fiatToCrypto', ['PENDING'], { amountFiat: null, amountCrypto: null }),
  'Of no step': transaction(null, []),
  'Large and fine': transaction('fiatToCrypto', ['PENDING'], {
    amountFiat: '123456789012.5',
    amountCrypto: '0.000000000000000001',
  }),
}

const hoursOf = (steps: (nth: number) => Record<string, number>): readonly HourView[] =>
  Array.from({ length: 24 }, (_, nth) => ({
    at: after(nth * 3600),
    steps: new Map(Object.entries(steps(nth))),
  }))

const charts = {
  nothing: hoursOf(() => ({})),
  one: hoursOf((nth) => (nth === 23 ? { PENDING: 1 } : {})),
  'every step, and one that nobody knows': hoursOf((nth) => ({
    SUCCESS: 4_000 + nth * 90,
    REFUNDED: nth * 9,
    FAILED: 400,
    LIMIT_BREACHED: 200,
    ON_HOLD: 300 - nth * 9,
    CRYPTO_TRANSFER_ISSUED: nth * 20,
    FIAT_TRANSFER_ISSUED: nth * 10,
    IN_PROGRESS: nth * 30,
    PENDING: nth * 60,
    BRAND_NEW: 100,
  })),
}

const gap = (kind: GapKind, more: Partial<GapView> = {}): GapView => ({
  id,
  kind,
  endpoint: { uuid: id, name: 'Ledger backend' },
  beganAt: after(0),
  endedAt: after(3600),
  note: null,
  otherEndpoints: [],
  refused: 0,
  reasons: [],
  retries: null,
  closed: null,
  ...more,
})

const named = { about: id, since: after(0) }

const ofTransaction = (
  kind: TransactionAttentionKind,
  step: string,
  more: Partial<TransactionDetailsView> = {},
): AttentionItem => ({
  ...named,
  kind,
  transaction: transaction('fiatToCrypto', ['PENDING', step], more),
  before: kind === 'held' ? [event('KYC', null, 'SOFT_KYC_FAILED')] : [],
})

const ofEvent = (
  kind: EventAttentionKind,
  type: string,
  subType: string | null,
  status: string | null,
): readonly AttentionItem[] => [{ ...named, kind, event: event(type, subType, status) }]

/** Each kind has its rows, in all texts that they can have. */
export const items: Readonly<Record<AttentionKind, readonly AttentionItem[]>> = {
  held: [
    ofTransaction('held', 'ON_HOLD', { reason: 'ON_HOLD_KYC' }),
    ofTransaction('held', 'ON_HOLD', { userUuid: null, userEmail: null }),
  ],
  stuck: [ofTransaction('stuck', 'IN_PROGRESS', { stuck: true })],
  gap: gapKinds.flatMap((kind): AttentionItem[] => [
    { ...named, kind: 'gap', gap: gap(kind) },
    { ...named, kind: 'gap', gap: gap(kind, { endpoint: null, endedAt: null }) },
  ]),
  endpoint: [
    { ...named, kind: 'endpoint', gap: gap('auto-disabled', { endedAt: null }) },
    { ...named, kind: 'endpoint', endpoint: { uuid: id, name: 'Ledger backend', status: 'auto_disabled' } },
    { ...named, kind: 'endpoint', endpoint: { uuid: id, name: null, status: 'disabled' } },
  ],
  failed: [ofTransaction('failed', 'FAILED')],
  'limit-breached': [
    {
      ...named,
      kind: 'limit-breached',
      transaction: transaction('cryptoToFiat', ['PENDING', 'LIMIT_BREACHED'], { limit: '5' }),
      before: [],
    },
  ],
  conflict: [ofTransaction('conflict', 'FAILED', { flags: ['conflict'] })],
  'name-mismatch': ofEvent('name-mismatch', 'senderNameMismatch', null, null),
  'duplicate-user': ofEvent('duplicate-user', 'duplicateUser', null, null),
  aml: ofEvent('aml', 'AML', null, 'FAILED'),
  'failed-kyc': ofEvent('failed-kyc', 'KYC', null, 'HARD_KYC_FAILED'),
  'failed-account': ofEvent('failed-account', 'linkBankAccount', null, 'FAILED'),
  'failed-company': ofEvent('failed-company', 'KYB', null, 'KYB_FAILED'),
  'bounced-code': ofEvent('bounced-code', 'otpNotification', 'EMAIL_DELIVERY_FAILED', null),
}

const snooze: Action<{ readonly about: string }> = async () => ({ kind: 'done', value: { about: id } })

/** The connection has the state that it is given, and is never opened. */
class ShownFeed extends LiveFeed {
  readonly #state: LiveState

  constructor(state: LiveState, health: Health | null) {
    const status = {
      at: 0,
      health,
      counts: { held: 0, people: 0, accounts: 0, companies: 0, gaps: 0, endpoints: 0, alerts: 0 },
    }
    super({ url: '', name: '', position: null, status }, () => undefined)
    this.#state = state
  }

  override get state(): LiveState {
    return this.#state
  }
}

const well: Health = {
  unreadSince: null,
  lastDeliveryAt: after(0),
  receiving: true,
  behindSince: null,
  gap: null,
  service: null,
  unwatchedSince: null,
}

const lasting: OpenGap = {
  id,
  kind: 'auto-disabled',
  severity: 'error',
  beganAt: after(0),
  endedAt: null,
  open: { count: 18, exact: true },
}

const live = (health: Partial<Health>) => new ShownFeed('live', { ...well, ...health })

/** The header is shown once for each state. */
export const pageStates = {
  reconnecting: new ShownFeed('reconnecting', well),
  paused: new ShownFeed('paused', well),
  unread: live({ unreadSince: after(0) }),
  missing: live({ gap: lasting }),
  unwatched: live({ unwatchedSince: after(0) }),
  'no-endpoint': live({ receiving: false }),
  'key-refused': live({ service: { outcome: 'key-refused', since: after(0) } }),
  behind: live({ behindSince: after(0) }),
  'perhaps-missing': live({ gap: { ...lasting, kind: 'down', severity: 'warning', endedAt: after(600) } }),
  'service-silent': live({ service: { outcome: 'unanswered', since: after(0) } }),
  delayed: new ShownFeed('delayed', well),
  'nothing-yet': live({ lastDeliveryAt: null }),
  connected: new ShownFeed('live', null),
  'up-to-date': live({}),
} as const satisfies Record<PageState['kind'], LiveFeed>

/** Only pages of staff use these pieces. */
export const staffPieces = [
  {
    name: 'State of a page, in its header',
    Shown: () =>
      Object.entries(pageStates).map(([kind, feed]) => (
        <div key={kind} className="whole text-muted text-sm">
          <Feed value={feed}>
            <PageStateIndicator meanings={pageStateMeanings} />
          </Feed>
        </div>
      )),
  },
  {
    name: 'Amounts and the rail of steps',
    Shown: () =>
      Object.entries(shownTransactions).map(([name, one]) => (
        <Card key={name} title={name} className="whole">
          <div className="@container">
            <Amounts transaction={one} />
          </div>
          <StepRail transaction={one} />
        </Card>
      )),
  },
  {
    name: 'Rows of what needs attention',
    Shown: () => (
      <Card className="whole">
        <ul>
          {attentionKinds.flatMap((kind) =>
            Object.entries(items[kind]).map(([nth, item]) => (
              <AttentionRow
                key={`${kind} ${nth}`}
                item={item}
                time={nth === '0' ? 'age' : 'relative'}
                snooze={nth === '0' ? snooze : null}
              />
            )),
          )}
        </ul>
      </Card>
    ),
  },
  {
    name: 'Chart of 24 hours',
    Shown: () =>
      Object.entries(charts).map(([name, hours]) => (
        <div key={name} className="whole">
          <HoursChart hours={hours} />
        </div>
      )),
  },
]
