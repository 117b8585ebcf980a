import type { Metadata } from 'next'
import { z } from 'zod'
import { MarkSeenButton } from '#components/audit/notices/mark-seen-button.tsx'
import { NoticeList } from '#components/audit/notices/notice-list.tsx'
import { strangerAlerts } from '#components/endpoints/gaps/stranger-alerts.tsx'
import { keyAlerts } from '#components/endpoints/key-alerts.tsx'
import { projectionAlerts } from '#components/operations/dead-letters/projection-alerts.tsx'
import { Figures } from '#components/operations/overview/figures.tsx'
import { FirstSteps } from '#components/operations/overview/first-steps.tsx'
import { firstStepsCookie } from '#components/operations/overview/first-steps-cookie.ts'
import { HoursChart } from '#components/operations/overview/hours-chart.tsx'
import { MutedList } from '#components/operations/overview/muted-list.tsx'
import { type LookAddress, NeedsALook } from '#components/operations/overview/needs-a-look.tsx'
import { switchedOffAlerts } from '#components/operations/overview/switched-off-alerts.tsx'
import { mailAlerts, proxyAlerts } from '#components/operations/settings/installation-alerts.tsx'
import { serviceAlerts } from '#components/operations/settings/service-alert.tsx'
import { UnwordedCard } from '#components/timeline/unworded-card.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { type Alert, AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { listNotices } from '#lib/audit/notices/notices.ts'
import { listStrangerCalls } from '#lib/endpoints/gaps/list-stranger-calls.ts'
import { readKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import { readServiceState, unwatchedSince } from '#lib/endpoints/service-key/service-state.ts'
import { readChoice, requirePage } from '#lib/identity/sessions/read-request.ts'
import { readProjectionStatus } from '#lib/operations/dead-letters/retry-dead-letters.ts'
import { readFigures } from '#lib/operations/overview/figures.ts'
import { listMutes } from '#lib/operations/overview/mutes.ts'
import { readLooks } from '#lib/operations/overview/read-looks.ts'
import { lookKinds } from '#lib/operations/rules/look-kinds.ts'
import { readMailTrouble } from '#lib/operations/settings/read-mail-health.ts'
import { listUnworded } from '#lib/people/standings/standing-states.ts'
import { env } from '#lib/platform/env.ts'
import { readProxyFault } from '#lib/platform/http/find-address.ts'
import { revealBodyAction } from '../actions.ts'
import { addressOf } from '../address-of.ts'
import { markNoticesSeenAction } from '../notices/actions.ts'
import { muteAction, retryDeadLettersAction, unmuteAction } from './actions.ts'

export const metadata: Metadata = { title: 'Overview' }

const SearchSchema = z.object({
  look: z
    .enum([...lookKinds, 'muted'])
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
  const [looks, figures, health, mail, notices, unworded] = await Promise.all([
    look === 'muted' ? listMutes(caller) : readLooks(caller, look ?? null),
    readFigures(caller),
    knowsHealth ? healthAlerts(caller) : [],
    readsNotices ? readMailTrouble(caller) : null,
    readsNotices ? listNotices(caller, { unseen: true, limit: 5 }) : noNotices,
    listUnworded(caller),
  ])
  const hrefOf: LookAddress = (next) => addressOf('/overview', { look: next ?? undefined, period })
  const mayMute = may(caller.role, 'work-on-cases')
  const [newest] = notices.notices
  return (
    <>
      <PageHeader
        title="Overview"
        actions={knowsHealth && <ButtonLink href="/gaps">Missed deliveries</ButtonLink>}
      >
        What needs attention, and how payments and webhooks are doing. <TimesNote />
      </PageHeader>
      <AlertSlot
        className="mt-5"
        alerts={[...('off' in looks ? switchedOffAlerts(looks.off) : []), ...health, ...mailAlerts(mail)]}
      />
      {knowsHealth && (await readChoice(firstStepsCookie)) === undefined && (
        <FirstSteps
          mayManage={may(caller.role, 'manage-endpoints')}
          sandboxUrl={env().sandboxUrl?.href ?? null}
        />
      )}
      {newest && (
        <Card
          title="Since your last visit"
          aside={<MarkSeenButton newest={newest.id} markSeen={markNoticesSeenAction} />}
          className="mt-5"
        >
          <NoticeList notices={notices.notices} padded />
          {notices.next && <ButtonLink href="/notices">All notices</ButtonLink>}
        </Card>
      )}
      {'kinds' in looks ? (
        <NeedsALook
          looks={looks}
          chosen={look === 'muted' ? null : (look ?? null)}
          hrefOf={hrefOf}
          mute={mayMute ? muteAction : null}
        />
      ) : (
        <MutedList mutes={looks} back={hrefOf(null)} unmute={mayMute ? unmuteAction : null} />
      )}
      <UnwordedCard unworded={unworded} className="mt-5" />
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
  const [keyFaults, service, projection, strangers] = await Promise.all([
    readKeyFaults(caller),
    readServiceState(),
    readProjectionStatus(caller),
    listStrangerCalls(caller),
  ])
  return [
    ...keyAlerts(keyFaults),
    ...serviceAlerts({ state: service, unwatchedSince: unwatchedSince(service) }),
    ...proxyAlerts(readProxyFault()),
    ...projectionAlerts(projection, { retry: retryDeadLettersAction, reveal: revealBodyAction }),
    ...strangerAlerts(strangers),
  ]
}

const noNotices = { notices: [], next: null }
