import { UndecidedState } from '#components/timeline/event-marks.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { isEventType } from '#lib/deliveries/rules/event-types.ts'
import type { AccountDetailsView } from '#lib/people/standings/get-account.ts'
import { accountHeadline } from '#lib/timeline/labels/event-account-headline.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { decidingEventView, lastReceivedAt } from '../../deciding-event.ts'
import { accountProviderText } from './account-provider-text.ts'

/** How the account stands, in a sentence, what is in doubt about that, and what it is called. */
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
            last word <Time at={lastReceivedAt(events)} style="clock" className="num" />
          </span>
        </p>
      </div>
      <CopyButton text={accountProviderText(account)}>Copy for provider</CopyButton>
    </header>
  )
}
