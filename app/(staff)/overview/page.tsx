import type { Metadata } from 'next'
import { z } from 'zod'
import { type Alert, AlertSlot } from '#components/alerts/alert-slot.tsx'
import { RowKeys } from '#components/browser/row-keys.tsx'
import { projectionAlerts } from '#components/dead-letters/projection-alerts.tsx'
import { keyAlerts } from '#components/endpoints/key-alerts.tsx'
import { strangerAlerts } from '#components/gaps/stranger-alerts.tsx'
import { RefreshEvery } from '#components/live/refresh-every.tsx'
import { MarkSeenButton } from '#components/notices/mark-seen-button.tsx'
import { NoticeList } from '#components/notices/notice-list.tsx'
import { Figures } from '#components/overview/figures.tsx'
import { FirstSteps } from '#components/overview/first-steps.tsx'
import { firstStepsCookie } from '#components/overview/first-steps-cookie.ts'
import { HoursChart } from '#components/overview/hours-chart.tsx'
import type { LookAddress } from '#components/overview/look-filter.tsx'
import { MutedList } from '#components/overview/muted-list.tsx'
import { NeedsALook } from '#components/overview/needs-a-look.tsx'
import { switchedOffAlerts } from '#components/overview/switched-off-alerts.tsx'
import { mailAlerts } from '#components/settings/mail-alert.tsx'
import { proxyAlerts } from '#components/settings/proxy-alert.tsx'
import { serviceAlerts } from '#components/settings/service-alert.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { UnwordedCard } from '#components/unworded-card.tsx'
import { readChoice } from '#lib/auth/read-choice.ts'
import { requirePage } from '#lib/auth/require-page.ts'
import { readProjectionStatus } from '#lib/dead-letters/read-projection-status.ts'
import { may } from '#lib/domain/access/roles.ts'
import { lookKinds } from '#lib/domain/overview/look-kinds.ts'
import { readKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import { env } from '#lib/env.ts'
import { listStrangerCalls } from '#lib/gaps/list-stranger-calls.ts'
import { readProxyFault } from '#lib/http/find-address.ts'
import { readMailTrouble } from '#lib/mail/read-mail-health.ts'
import { listNotices } from '#lib/notices/list-notices.ts'
import { listMutes } from '#lib/overview/list-mutes.ts'
import { readFigures } from '#lib/overview/read-figures.ts'
import { readLooks } from '#lib/overview/read-looks.ts'
import type { Caller } from '#lib/request/caller.ts'
import { readServiceState, unwatchedSince } from '#lib/service-key/service-state.ts'
import { listUnworded } from '#lib/standings/list-unworded.ts'
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

/** What needs somebody's look, and how deliveries and payments go. */
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
      <PageHeader title="Overview" actions={knowsHealth && <ButtonLink href="/gaps">All gaps</ButtonLink>}>
        What needs a look, and how deliveries and payments go. <TimesNote />
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
          title="New to you"
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

/** Of servers, the proxy before them, the service and deliveries. */
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
