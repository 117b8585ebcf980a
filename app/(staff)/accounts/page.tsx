import { CircleCheck, FilterX, Landmark } from 'lucide-react'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ExportLater } from '#components/ui/export-list/export-later.tsx'
import { ListFoot } from '#components/ui/live/list-foot.tsx'
import { RefreshOnKind } from '#components/ui/live/refresh-on-kind.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { ListFilters } from '#components/ui/shared/list-filters.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { accountTypes } from '#lib/deliveries/rules/event-types.ts'
import { accountStatuses } from '#lib/deliveries/rules/steps.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { happenedDays } from '#lib/operations/rules/attention-kinds.ts'
import { listAccounts } from '#lib/people/standings/list-accounts.ts'
import { listCurrencies, listStandingStates } from '#lib/people/standings/standing-states.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { addressOf, setIn } from '../address-of.ts'
import { AttentionSegments, stateChoices } from '../attention-segments.tsx'
import { allowStandingsExportAction } from '../standings-actions.ts'
import { AccountsTable } from './accounts-table.tsx'

export const metadata: Metadata = { title: 'Accounts' }

const SearchSchema = z.object({
  type: z.enum(accountTypes).optional().catch(undefined),
  state: z.string().min(1).max(100).optional().catch(undefined),
  currency: z.string().min(1).max(100).optional().catch(undefined),
  look: z.literal('1').optional().catch(undefined),
  cursor: z.string().max(2_000).optional().catch(undefined),
})

const exported = {
  noun: ['account', 'accounts'],
  holds: 'A CSV file of this list with status, currency and user IDs.',
  address: '/api/standings/export',
  fields: { list: 'accounts' },
} as const

interface Props {
  readonly searchParams: Promise<Record<string, unknown>>
}

export default async function AccountsPage({ searchParams }: Props) {
  const search = SearchSchema.parse(await searchParams)
  const { cursor, ...filters } = search
  const caller = await requirePage('see-everything', addressOf('/accounts', search))
  const first = addressOf('/accounts', filters)
  const [{ rows, next, total }, states, currencies] = await Promise.all([
    listAccounts(caller, { ...search, needsAttention: search.look !== undefined }).catch(
      onRefusal(CursorRefused, () => redirect(first)),
    ),
    listStandingStates(caller, accountTypes),
    listCurrencies(caller),
  ])
  const narrowed = Object.entries(filters).some(([name, value]) => name !== 'look' && value !== undefined)
  const foot = {
    total,
    one: 'account',
    many: 'accounts',
    newest: cursor ? first : null,
    older: next === null ? null : addressOf('/accounts', { ...filters, cursor: next }),
  }
  return (
    <>
      <RowKeys />
      <RefreshOnKind kind="bank-account" />
      <PageHeader title="Accounts">
        {search.look
          ? `Bank accounts and profiles that failed in the last ${happenedDays} days, without those snoozed on the overview.`
          : 'Bank accounts, recently updated first.'}{' '}
        <TimesNote />
      </PageHeader>
      <div className="mt-5">
        <AttentionSegments
          name="Which accounts"
          all={{ label: 'All', href: addressOf('/accounts', { ...filters, look: undefined }) }}
          attention={{
            label: 'Failed lately',
            href: addressOf('/accounts', { ...filters, look: '1' }),
            count: 'accounts',
            chosen: search.look !== undefined,
          }}
        />
      </div>
      <ListFilters
        path="/accounts"
        kept={search.look ? { look: search.look } : {}}
        filters={[
          {
            name: 'type',
            label: 'Kind',
            value: search.type ?? null,
            choices: accountTypes.map((type) => [type, eventTypeLabel(type).label]),
          },
          {
            name: 'state',
            label: 'Status',
            value: search.state ?? null,
            choices: stateChoices(accountTypes, accountStatuses, states, search.state),
          },
          {
            name: 'currency',
            label: 'Currency',
            value: search.currency ?? null,
            choices: [...new Set([...currencies, ...(search.currency ? [search.currency] : [])])].map(
              (currency) => [currency, currency],
            ),
          },
        ]}
      >
        {may(caller.role, 'work-on-cases') && (
          <ExportLater list={exported} filters={setIn(filters)} allow={allowStandingsExportAction} />
        )}
      </ListFilters>
      <Card aria-label="Accounts">
        {rows.length > 0 ? (
          <AccountsTable
            accounts={rows}
            list={addressOf('/accounts', search)}
            isFirst={!cursor}
            foot={foot}
          />
        ) : search.look && !narrowed && !cursor ? (
          <EmptyState
            icon={CircleCheck}
            title="No account failed lately"
            action={<ButtonLink href="/accounts">All accounts</ButtonLink>}
          />
        ) : narrowed || cursor ? (
          <EmptyState
            icon={FilterX}
            title="No account matches these filters"
            action={
              <ButtonLink href={addressOf('/accounts', { look: search.look })}>Clear the filters</ButtonLink>
            }
          />
        ) : (
          <EmptyState
            icon={Landmark}
            title="No accounts yet"
            action={
              <ButtonLink variant="primary" href="/endpoints">
                Check the endpoints
              </ButtonLink>
            }
          >
            An account appears here with its first event.
          </EmptyState>
        )}
        {rows.length === 0 && <ListFoot {...foot} />}
      </Card>
    </>
  )
}
