import type { Metadata } from 'next'
import { nobodyNotifiedAlerts } from '#components/operations/alerts/nobody-notified.tsx'
import { ChannelsCard, RulesTable } from '#components/operations/alerts/rules-and-channels.tsx'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { listAlertChannels } from '#lib/operations/alerts/alert-channels.ts'
import { listAlertRules } from '#lib/operations/alerts/alert-rules.ts'
import {
  addAlertChannelAction,
  changeAlertChannelAction,
  changeAlertRuleAction,
  removeAlertChannelAction,
  testAlertChannelAction,
} from './actions.ts'

export const metadata: Metadata = { title: 'Rules and channels of alerts' }

/** The page has the rule of each condition, and the channels that alerts go to. */
export default async function AlertSettingsPage() {
  const caller = await requirePage('manage-settings', '/settings/alerts')
  const [channels, rules] = await Promise.all([listAlertChannels(caller), listAlertRules(caller)])
  return (
    <>
      <PageHeader title="Rules and channels of alerts">
        When an{' '}
        <Link href="/alerts" className="underline">
          alert
        </Link>{' '}
        fires, and who is notified. Each member chooses their own{' '}
        <Link href="/alerts/mine" className="underline">
          e-mails
        </Link>
        .
      </PageHeader>
      <AlertSlot alerts={nobodyNotifiedAlerts(channels, 'without-link')} className="mt-5" />
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] gap-5">
        <ChannelsCard
          channels={channels}
          actions={{
            add: addAlertChannelAction,
            change: changeAlertChannelAction,
            remove: removeAlertChannelAction,
            test: testAlertChannelAction,
          }}
        />
        <section aria-labelledby="rules">
          <h2 id="rules" className="mb-2.5 font-title text-muted text-sm">
            Rules
          </h2>
          <Card>
            <RulesTable
              rules={rules}
              // A dead man's switch gets no alerts.
              channels={channels
                .filter(({ kind }) => kind !== 'heartbeat')
                .map(({ id, name, notifies }) => ({ id, name, enabled: notifies }))}
              change={changeAlertRuleAction}
            />
          </Card>
        </section>
      </div>
      <RefreshEvery seconds={30} />
    </>
  )
}
