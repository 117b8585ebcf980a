import { CircleCheck } from 'lucide-react'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { AlertHistory, FiringAlerts } from '#components/operations/alerts/alert-lists.tsx'
import { nobodyNotifiedAlerts } from '#components/operations/alerts/nobody-notified.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ExportLater } from '#components/ui/export-list/export-later.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { RefreshEvery, RefreshOnCount } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { listAlertChannels } from '#lib/operations/alerts/alert-channels.ts'
import { listAlertHistory, listAlerts } from '#lib/operations/alerts/alerts.ts'
import { wordsOfAlert } from '#lib/operations/labels/alert-labels.ts'
import { conditionCodes, conditionsFor } from '#lib/operations/rules/alert-conditions.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { addressOf } from '../address-of.ts'
import { acknowledgeAlertAction, allowAlertsExportAction, unacknowledgeAlertAction } from './actions.ts'
import { AlertFilters } from './alert-filters.tsx'

export const metadata: Metadata = { title: 'Alerts' }

const SearchSchema = z.object({
  state: z.enum(['firing', 'resolved']).optional().catch(undefined),
  condition: z.enum(conditionCodes).optional().catch(undefined),
  before: z.string().max(2_000).optional().catch(undefined),
})

type Search = z.output<typeof SearchSchema>

interface Props {
  readonly searchParams: Promise<Record<string, unknown>>
}

export default async function AlertsPage({ searchParams }: Props) {
  const search = SearchSchema.parse(await searchParams)
  const { state, condition, before } = search
  const caller = await requirePage('see-alerts', path(search))
  const mayManage = may(caller.role, 'manage-settings')
  return (
    <>
      <RowKeys />
      <PageHeader
        title="Alerts"
        actions={mayManage && <ButtonLink href="/settings/alerts">Rules and channels</ButtonLink>}
      >
        What needs a person now, and what did.
      </PageHeader>
      {mayManage && (
        <AlertSlot
          alerts={nobodyNotifiedAlerts(await listAlertChannels(caller), 'with-link')}
          className="mt-5"
        />
      )}
      <AlertFilters
        filters={[
          {
            name: 'state',
            label: 'Status',
            value: state ?? null,
            choices: [
              ['firing', 'Firing'],
              ['resolved', 'Resolved'],
            ],
          },
          {
            name: 'condition',
            label: 'Condition',
            value: condition ?? null,
            choices: conditionsFor(caller.role).map((code) => [code, wordsOfAlert(code).title]),
          },
        ]}
      >
        {state !== 'firing' && (
          <div className="ml-auto">
            <ExportLater
              list={exported}
              filters={condition ? { condition } : {}}
              allow={allowAlertsExportAction}
            />
          </div>
        )}
      </AlertFilters>
      {state !== 'resolved' && before === undefined && <Firing caller={caller} search={search} />}
      {state !== 'firing' && <History caller={caller} search={search} />}
      <RefreshOnCount count="alerts" />
      <RefreshEvery seconds={30} />
    </>
  )
}

const exported = {
  noun: ['resolved alert', 'resolved alerts'],
  holds: 'A file of the history with subjects, times and who acknowledged.',
  address: '/api/alerts/export',
  fields: {},
} as const

interface Shown {
  readonly caller: Caller
  readonly search: Search
}

async function Firing({ caller, search: { condition } }: Shown) {
  const alerts = await listAlerts(caller)
  const listed = alerts.filter((alert) => condition === undefined || alert.condition === condition)
  return (
    <Part title="Firing" id="firing">
      {listed.length > 0 ? (
        <FiringAlerts
          alerts={listed}
          role={caller.role}
          acknowledge={acknowledgeAlertAction}
          unacknowledge={unacknowledgeAlertAction}
        />
      ) : condition === undefined ? (
        <EmptyState icon={CircleCheck} title="No alert is firing">
          Endpoints that are off, missed deliveries or a full disk appear here.
        </EmptyState>
      ) : (
        <p className={plain}>No alert of this condition is firing.</p>
      )}
    </Part>
  )
}

async function History({ caller, search }: Shown) {
  const { condition, before, ...others } = search
  const first = path({ ...others, condition })
  const { alerts, next } = await listAlertHistory(caller, {
    before: before ?? null,
    condition: condition ?? null,
  }).catch(onRefusal(CursorRefused, () => redirect(first)))
  return (
    <Part title="History" id="history">
      {alerts.length > 0 ? (
        <AlertHistory alerts={alerts} role={caller.role} />
      ) : (
        <p className={plain}>
          {before !== undefined
            ? 'Nothing more here.'
            : condition === undefined
              ? 'Nothing yet. Resolved alerts appear here.'
              : 'No resolved alert matches.'}
        </p>
      )}
      <PageLinks
        newest={before === undefined ? null : first}
        older={next && path({ ...search, before: next })}
      />
    </Part>
  )
}

const Part = ({
  title,
  id,
  children,
}: {
  readonly title: string
  readonly id: string
  readonly children: ReactNode
}) => (
  <section aria-labelledby={id} className="mt-6 first-of-type:mt-4">
    <h2 id={id} className="mb-2.5 font-title text-muted text-sm">
      {title}
    </h2>
    <Card>{children}</Card>
  </section>
)

const plain = 'px-4 py-3 text-muted text-table'

const path = (search: Search): string => addressOf('/alerts', search)
