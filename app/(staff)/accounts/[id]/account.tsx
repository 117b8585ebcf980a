import { UndecidedState } from '#components/timeline/event-marks.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { AccountNumber } from '#components/ui/reveal/reveal.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { isEventType } from '#lib/deliveries/rules/event-types.ts'
import type { AccountDetailsView } from '#lib/people/standings/list-accounts.ts'
import { eventLabel, rawState } from '#lib/timeline/labels/event-labels.ts'
import { accountHeadline } from '#lib/timeline/labels/event-profile-headlines.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import type { AccountView, SubjectDetailsView } from '#lib/timeline/subject-details.ts'
import { countryName } from '#lib/words/labels/formats.ts'
import { revealFieldAction } from '../../actions.ts'
import { decidingEventView, lastReceivedAt } from '../../event-timeline.tsx'

/** The heading has the account's status in a sentence, the doubt about it, and the account's name. */
export function AccountHeading({ account }: { readonly account: AccountDetailsView }) {
  const { subject, events } = account
  const latest = decidingEventView(events)
  const type = latest?.type ?? null
  const { label, tone, meaning, next } = eventLabel(latest ?? { type: null, subType: null, status: null })
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2.5 text-muted text-sm">
          <Pill tone={tone}>{label}</Pill>
          {eventTypeLabel(type).label}
        </p>
        <h1 className="wrap-anywhere mt-2 font-heading text-xl tracking-[-0.017em]">
          {accountHeadline({
            type: type !== null && isEventType(type) ? type : null,
            state: latest?.status ?? null,
            currency: account.account?.currency ?? null,
            number: account.account?.iban ?? account.account?.accountNumber ?? null,
          })}
        </h1>
        {(meaning ?? next) && (
          <p className="mt-1 text-table">
            {meaning} <span className="text-muted">{next}</span>
          </p>
        )}
        <UndecidedState events={events} />
        <p className="mt-1 flex flex-wrap items-center gap-x-2 text-muted text-table">
          <ShortId id={subject.id} whole className="text-sm" />
          <span>
            Updated <Time at={lastReceivedAt(events)} style="clock" className="num" />
          </span>
        </p>
      </div>
      <CopyButton text={accountProviderText(account)}>Copy for provider</CopyButton>
    </header>
  )
}

/** The card shows what events gave of an account. Its numbers are whole, masked, or revealed one by one. */
export function AccountCard({
  id,
  account,
  error,
}: {
  readonly id: string
  /** `account` is null for a profile or a linked account, since no event gives facts of these. */
  readonly account: AccountView | null
  /** The account could not be created, for this reason in the provider's words. */
  readonly error: string | null
}) {
  const numberOf = (field: 'iban' | 'accountNumber') =>
    account?.[field] && (
      <AccountNumber
        number={account[field]}
        reveal={
          account.revealable.includes(field)
            ? { action: revealFieldAction, record: 'account', uuid: account.uuid, field }
            : null
        }
      />
    )
  const known = (
    [
      ['Error', error],
      ['IBAN', numberOf('iban')],
      ['Account number', numberOf('accountNumber')],
      ['Sort code', account?.sortCode],
      ['BIC', account?.bic],
      ['SWIFT code', account?.swiftCode],
      ['Bank', account?.bankName],
      ['Bank code', account?.bankCode],
      ['Country', account?.bankCountry && countryName(account.bankCountry)],
      ['Currency', account?.currency],
      ['ID', <ShortId key="id" id={id} />],
    ] as const
  ).filter(([, value]) => value)
  return (
    <Card title="Account">
      <Facts>
        {known.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
    </Card>
  )
}

/**
 * The provider's support needs this text about an account: its uuid first, then the received events, with times in
 * UTC.
 */
function accountProviderText({ subject, events }: SubjectDetailsView): string {
  const entity = events.findLast(({ entityUuid }) => entityUuid !== null)?.entityUuid
  return [
    `account uuid: ${subject.id}`,
    ...(entity ? [`user or company uuid: ${entity}`] : []),
    ...eventLines(events),
  ].join('\n')
}

/** The text is about a company, of which at most the newest `most` events were read. */
export const companyProviderText = ({ subject, events }: SubjectDetailsView, most: number): string =>
  [
    `company uuid: ${subject.id}`,
    ...eventLines(events, events.length < most ? 'Events' : `The newest ${most} events`),
  ].join('\n')

const eventLines = (events: SubjectDetailsView['events'], title = 'Events') => [
  '',
  `${title} as received (UTC):`,
  ...events.map(
    (event) =>
      `${event.firstReceivedAt}  ${[event.type ?? 'no type', event.status ?? rawState(event)].filter(Boolean).join(' / ')}`,
  ),
]
