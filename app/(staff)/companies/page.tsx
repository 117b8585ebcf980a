import { Building2, CircleCheck, FilterX } from 'lucide-react'
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
import { statesOf } from '#lib/deliveries/rules/event-states.ts'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { happenedDays } from '#lib/operations/rules/attention-kinds.ts'
import { listCompanies } from '#lib/people/standings/list-companies.ts'
import { listStandingStates } from '#lib/people/standings/standing-states.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { addressOf, setIn } from '../address-of.ts'
import { AttentionSegments, stateChoices } from '../attention-segments.tsx'
import { allowStandingsExportAction } from '../standings-actions.ts'
import { CompaniesTable } from './companies-table.tsx'

export const metadata: Metadata = { title: 'Companies' }

const SearchSchema = z.object({
  state: z.string().min(1).max(100).optional().catch(undefined),
  look: z.literal('1').optional().catch(undefined),
  cursor: z.string().max(2_000).optional().catch(undefined),
})

const exported = {
  noun: ['company', 'companies'],
  holds: 'A CSV file of this list with verification, status and number of people.',
  address: '/api/standings/export',
  fields: { list: 'companies' },
} as const

interface Props {
  readonly searchParams: Promise<Record<string, unknown>>
}

export default async function CompaniesPage({ searchParams }: Props) {
  const search = SearchSchema.parse(await searchParams)
  const { state, look, cursor } = search
  const caller = await requirePage('see-everything', addressOf('/companies', search))
  const first = addressOf('/companies', { state, look })
  const [{ rows, next, total }, states] = await Promise.all([
    listCompanies(caller, { ...search, needsAttention: look !== undefined }).catch(
      onRefusal(CursorRefused, () => redirect(first)),
    ),
    listStandingStates(caller, companyTypes),
  ])
  const foot = {
    total,
    one: 'company',
    many: 'companies',
    newest: cursor ? first : null,
    older: next === null ? null : addressOf('/companies', { state, look, cursor: next }),
  }
  return (
    <>
      <RowKeys />
      <RefreshOnKind kind="entity" />
      <PageHeader title="Companies">
        {look
          ? `Companies that could not be verified or were suspended in the last ${happenedDays} days, without those snoozed on the overview.`
          : 'Companies, recently updated first.'}{' '}
        <TimesNote />
      </PageHeader>
      <div className="mt-5">
        <AttentionSegments
          name="Which companies"
          all={{ label: 'All', href: addressOf('/companies', { state }) }}
          attention={{
            label: 'Failed lately',
            href: addressOf('/companies', { state, look: '1' }),
            count: 'companies',
            chosen: look !== undefined,
          }}
        />
      </div>
      <ListFilters
        path="/companies"
        kept={look ? { look } : {}}
        filters={[
          {
            name: 'state',
            label: 'Status',
            value: state ?? null,
            choices: stateChoices(companyTypes, known, states, state),
          },
        ]}
      >
        {may(caller.role, 'work-on-cases') && (
          <ExportLater list={exported} filters={setIn({ state, look })} allow={allowStandingsExportAction} />
        )}
      </ListFilters>
      <Card aria-label="Companies">
        {rows.length > 0 ? (
          <CompaniesTable
            companies={rows}
            list={addressOf('/companies', search)}
            isFirst={!cursor}
            foot={foot}
          />
        ) : look && !state ? (
          <EmptyState
            icon={CircleCheck}
            title={cursor ? 'No other company failed lately' : 'No company failed lately'}
            action={
              <ButtonLink href={cursor ? first : '/companies'}>
                {cursor ? 'Newest' : 'All companies'}
              </ButtonLink>
            }
          />
        ) : state || cursor ? (
          <EmptyState
            icon={FilterX}
            title="No company matches this filter"
            action={<ButtonLink href={addressOf('/companies', { look })}>Clear the filter</ButtonLink>}
          />
        ) : (
          <EmptyState
            icon={Building2}
            title="No companies yet"
            action={
              <ButtonLink variant="primary" href="/endpoints">
                Check the endpoints
              </ButtonLink>
            }
          >
            A company appears here with the first event about its verification (KYB) or its status.
          </EmptyState>
        )}
        {rows.length === 0 && <ListFoot {...foot} />}
      </Card>
    </>
  )
}

const known = companyTypes.flatMap((type): readonly string[] => statesOf[type])
