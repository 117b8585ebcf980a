import type { Metadata } from 'next'
import { z } from 'zod'
import { MarkSeenButton } from '#components/audit/notices/mark-seen-button.tsx'
import { NoticeList } from '#components/audit/notices/notice-list.tsx'
import { strangerAlerts } from '#components/endpoints/gaps/stranger-alerts.tsx'
import { keyAlerts } from '#components/endpoints/key-alerts.tsx'
import { projectionAlerts } from '#components/operations/dead-letters/projection-alerts.tsx'
import { Figures, HoursChart } from '#components/operations/overview/figures.tsx'
import { FirstSteps } from '#components/operations/overview/first-steps.tsx'
import { firstStepsCookie } from '#components/operations/overview/first-steps-cookie.ts'
import { type AttentionAddress, NeedsAttention } from '#components/operations/overview/needs-attention.tsx'
import { SnoozedList } from '#components/operations/overview/snoozed-list.tsx'
import { switchedOffAlerts } from '#components/operations/overview/switched-off-alerts.tsx'
import { mailAlerts, proxyAlerts } from '#components/operations/settings/installation-alerts.tsx'
import { serviceAlerts } from '#components/operations/settings/service-alert.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { type Alert, AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { totalNumber } from '#components/ui/shared/total-label.ts'
import { TimesNote } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { listNotices } from '#lib/audit/notices/notices.ts'
import { listStrangerCalls } from '#lib/endpoints/gaps/list-stranger-calls.ts'
import { readKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import { readWatch } from '#lib/endpoints/service-key/service-state.ts'
import { readChoice, requirePage } from '#lib/identity/sessions/read-request.ts'
import { readProjectionStatus } from '#lib/operations/dead-letters/retry-dead-letters.ts'
import { readFigures } from '#lib/operations/overview/figures.ts'
import { readAttentionItems } from '#lib/operations/overview/read-attention.ts'
import { listSnoozes } from '#lib/operations/overview/snoozes.ts'
import { attentionKinds } from '#lib/operations/rules/attention-kinds.ts'
import { readMailTrouble } from '#lib/operations/settings/read-mail-health.ts'
import { listUnknownTypes } from '#lib/people/standings/standing-states.ts'
import { env } from '#lib/platform/env.ts'
import { readProxyFault } from '#lib/platform/http/find-address.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { inSentence } from '#lib/words/labels/formats.ts'
import { revealBodyAction } from '../actions.ts'
import { addressOf } from '../address-of.ts'
import { markNoticesSeenAction } from '../notices/actions.ts'
import { retryDeadLettersAction, snoozeAction, unsnoozeAction } from './actions.ts'

export const metadata: Metadata = { title: 'Overview' }

const SearchSchema = z.object({
  look: z
    .enum([...attentionKinds, 'muted'])
    .optional()
    .catch(undefined),
  period: z.enum(['week']).optional().catch(undefined),
})

/** The overview shows what needs attention, and how deliveries and payments go. */
export default async function OverviewPage({
  searchParams,
}: {
  readonly searchParams: Promise<Record<string, unknown>>
}) {
  const search = SearchSchema.parse(await searchParams)
  const { look, period } = search
  const caller = await requirePage('see-everything', addressOf('/overview', search))
  const knowsHealth = may(caller.role, 'see-endpoint-health')
  const readsNotices = may(caller.role, 'read-notices')
  const [items, figures, health, mail, notices, unknownTypes] = await Promise.all([
    look === 'muted' ? listSnoozes(caller) : readAttentionItems(caller, look ?? null),
    readFigures(caller),
    knowsHealth ? healthAlerts(caller) : [],
    readsNotices ? readMailTrouble(caller) : null,
    readsNotices ? listNotices(caller, { unseen: true, limit: 5 }) : noNotices,
    listUnknownTypes(caller),
  ])
  const hrefOf: AttentionAddress = (next) => addressOf('/overview', { look: next ?? undefined, period })
  const maySnooze = may(caller.role, 'work-on-cases')
  return (
    <>
      <PageHeader
        title="Overview"
        actions={knowsHealth && <ButtonLink href="/gaps">Missed deliveries</ButtonLink>}
      >
        What needs attention, and how payments are doing. <TimesNote />
      </PageHeader>
      <AlertSlot
        className="mt-5"
        alerts={[...('off' in items ? switchedOffAlerts(items.off) : []), ...health, ...mailAlerts(mail)]}
      />
      {knowsHealth && (await readChoice(firstStepsCookie)) === undefined && (
        <FirstSteps
          mayManage={may(caller.role, 'manage-endpoints')}
          sandboxUrl={env().sandboxUrl?.href ?? null}
        />
      )}
      {notices.notices.length > 0 && (
        <Card
          title="Since your last visit"
          aside={<MarkSeenButton unseen={notices.unseen} markSeen={markNoticesSeenAction} />}
          className="mt-5"
        >
          <NoticeList notices={notices.notices} padded />
          {notices.next && <ButtonLink href="/notices">All notices</ButtonLink>}
        </Card>
      )}
      {'kinds' in items ? (
        <NeedsAttention
          items={items}
          chosen={look === 'muted' ? null : (look ?? null)}
          hrefOf={hrefOf}
          snooze={maySnooze ? snoozeAction : null}
        />
      ) : (
        <SnoozedList snoozes={items} back={hrefOf(null)} unsnooze={maySnooze ? unsnoozeAction : null} />
      )}
      <UnknownTypesCard unknownTypes={unknownTypes} className="mt-5" />
      <Figures
        figures={figures}
        period={period ?? 'day'}
        hrefOf={{
          day: addressOf('/overview', { look }),
          week: addressOf('/overview', { look, period: 'week' }),
        }}
      />
      <HoursChart hours={figures.hours} />
      <RowKeys />
      <RefreshEvery seconds={30} />
    </>
  )
}

/** The alerts are those of servers, the proxy in front of them, the service and deliveries. */
async function healthAlerts(caller: Caller): Promise<Alert[]> {
  const [keyFaults, watch, projection, strangers] = await Promise.all([
    readKeyFaults(caller),
    readWatch(),
    readProjectionStatus(caller),
    listStrangerCalls(caller),
  ])
  return [
    ...keyAlerts(keyFaults),
    ...serviceAlerts(watch),
    ...proxyAlerts(readProxyFault()),
    ...projectionAlerts(projection, { retry: retryDeadLettersAction, reveal: revealBodyAction }),
    ...strangerAlerts(strangers),
  ]
}

const noNotices = { notices: [], next: null, unseen: [] }

/**
 * States and reasons without words here are counted. Other pages show them as they came. Nothing is shown when all
 * have words.
 */
function UnknownTypesCard({
  unknownTypes,
  className,
}: {
  readonly unknownTypes: readonly {
    readonly type: string
    readonly state: string
    readonly count: Total
  }[]
  readonly className?: string
}) {
  if (unknownTypes.length === 0) return null
  return (
    <Card title="Unknown statuses" className={className}>
      <p className="text-muted text-table">
        They are shown exactly as received. Ask the provider what they mean.
      </p>
      <ul className="mt-2.5 grid grid-cols-[minmax(0,1fr)] gap-1.5 text-table">
        {unknownTypes.map(({ type, state, count }) => (
          <li key={`${type} ${state}`} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <Link
              href={`/timeline?type=${encodeURIComponent(type)}`}
              className="wrap-anywhere underline underline-offset-2"
            >
              {eventTypeLabel(type).label}
            </Link>
            <span className="mono wrap-anywhere">{state}</span>
            <span className="num text-muted">{inSentence(totalNumber(count))}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
