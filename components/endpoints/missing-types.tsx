import { Callout } from '#components/ui/callout.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { type EventType, eventTypes } from '#lib/deliveries/rules/event-types.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import { eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'

/** This dashboard cannot show these things without the type. */
const lostWithout = {
  fiatToCrypto: 'transactions from fiat to stablecoin do not appear',
  cryptoToFiat: 'transactions from stablecoin to fiat do not appear',
  senderNameMismatch: 'nobody here sees that the name of a sender differed',
  KYC: 'nobody here sees what a hold for verification waits for',
  KYB: 'the verification of companies does not appear',
  AML: 'checks against money laundering do not appear',
  entityStatusUpdate: 'changed states of people and companies do not appear',
  unblockBankAccount: 'accounts to pay into do not appear',
  linkedBankAccountProfile: 'nobody here sees why a bank account cannot be linked',
  linkBankAccount: 'linked bank accounts do not appear',
  walletCreated: 'new wallets do not appear',
  duplicateUser: 'nobody here sees that somebody exists twice',
  otpNotification: 'whoever waits for a sign-in code that bounced is not told',
} as const satisfies Record<EventType, string>

/**
 * No active endpoint brings these types here. The list is empty when no endpoint brings anything: another alert
 * says that.
 */
export function missingTypes(endpoints: readonly EndpointView[]): readonly EventType[] {
  const bringing = endpoints.filter(bringsHere)
  if (bringing.length === 0) return []
  return eventTypes.filter(
    (type) => !bringing.some(({ subscribedEvents }) => subscribedEvents?.includes(type) ?? true),
  )
}

/** The endpoint delivers to this dashboard now. */
const bringsHere = ({ ours, status }: EndpointView) => ours && status === 'active'

/** The alert names types that no endpoint brings here, and what is invisible without them. */
export const missingTypesAlerts = (types: readonly EventType[]): Alert[] =>
  types.length === 0 ? [] : [{ key: 'missing-types', kind: 'warning', shown: <MissingTypes types={types} /> }]

function MissingTypes({ types }: { readonly types: readonly EventType[] }) {
  return (
    <Callout
      kind="warning"
      title={`${types.length} of ${eventTypes.length} kinds of events ${types.length === 1 ? 'does' : 'do'} not come to this dashboard.`}
    >
      <LostWithout types={types} />
    </Callout>
  )
}

/** Each type has its consequence. */
export const LostWithout = ({ types }: { readonly types: readonly EventType[] }) => (
  <ul className="grid gap-0.5">
    {types.map((type) => (
      <li key={type}>
        <span className="font-label text-text">{eventTypeLabels[type].label}:</span> {lostWithout[type]}.
      </li>
    ))}
  </ul>
)

/** This dashboard loses these deliveries once an endpoint is gone or off. */
export interface HereWithout {
  readonly sentence: string
  /** `grave`: nothing arrives any more, or nothing of some types. */
  readonly grave: boolean
}

/** `endpoints` are all of the merchant; null while the service does not list them. */
export function hereWithout(endpoint: EndpointView, endpoints: readonly EndpointView[] | null): HereWithout {
  if (!endpoint.ours) {
    return { grave: false, sentence: 'It does not deliver to this dashboard, which loses nothing.' }
  }
  if (endpoints === null) {
    return {
      grave: true,
      sentence: 'Other endpoints could not be read. If none delivers here, no more events arrive.',
    }
  }
  const others = endpoints.filter(({ uuid }) => uuid !== endpoint.uuid)
  if (!others.some(bringsHere)) {
    return {
      grave: true,
      sentence: 'No other endpoint delivers to this dashboard: no more events arrive.',
    }
  }
  const lost = missingTypes(others).filter((type) => endpoint.subscribedEvents?.includes(type) ?? true)
  if (lost.length > 0) {
    const names = lost.map((type) => eventTypeLabels[type].label).join(', ')
    return {
      grave: true,
      sentence: `No other endpoint delivers these event types here: ${names}.`,
    }
  }
  return { grave: false, sentence: 'Other endpoints go on delivering to this dashboard.' }
}
