import { type EventType, eventTypes } from '#lib/deliveries/rules/event-types.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'

/** What this dashboard cannot show without a type of events. */
export const lostWithout = {
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

/** Types that no active endpoint brings here; none while nothing at all is brought, which is said otherwise. */
export function missingTypes(endpoints: readonly EndpointView[]): readonly EventType[] {
  const bringing = endpoints.filter(bringsHere)
  if (bringing.length === 0) return []
  return eventTypes.filter(
    (type) => !bringing.some(({ subscribedEvents }) => subscribedEvents?.includes(type) ?? true),
  )
}

/** Whether an endpoint delivers to this dashboard now. */
export const bringsHere = ({ ours, status }: EndpointView) => ours && status === 'active'
