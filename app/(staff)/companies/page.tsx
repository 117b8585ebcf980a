import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { Queries } from '#components/ui/live/queries.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { happenedDays } from '#lib/operations/rules/attention-kinds.ts'
import { listCompanies } from '#lib/people/standings/list-companies.ts'
import { listStandingStates } from '#lib/people/standings/standing-states.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { allowStandingsExportAction } from '../actions.ts'
import { type GivenQuery, queryOf } from '../address-of.ts'
import { CompaniesList } from './companies-list.tsx'
import { companiesAddress, readCompaniesSearch } from './search.ts'

export const metadata: Metadata = { title: 'Companies' }

export default async function CompaniesPage({
  searchParams,
}: {
  readonly searchParams: Promise<GivenQuery>
}) {
  const search = readCompaniesSearch(queryOf(await searchParams))
  const caller = await requirePage('see-everything', companiesAddress(search))
  const at = Date.now()
  const { look, state, cursor } = search
  const [page, states] = await Promise.all([
    listCompanies(caller, {
      state: state ?? undefined,
      cursor: cursor ?? undefined,
      needsAttention: look !== null,
    }).catch(onRefusal(CursorRefused, () => redirect(companiesAddress({ ...search, cursor: null })))),
    listStandingStates(caller, companyTypes),
  ])
  return (
    <>
      <PageHeader title="Companies">
        {look
          ? `Companies that could not be verified or were suspended in the last ${happenedDays} days, without those snoozed on the overview.`
          : 'Companies, recently updated first.'}{' '}
        <TimesNote />
      </PageHeader>
      <Queries>
        <CompaniesList
          rendered={{ search, page, at }}
          states={states}
          allowExport={may(caller.role, 'work-on-cases') ? allowStandingsExportAction : null}
        />
      </Queries>
    </>
  )
}
