import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { Queries } from '#components/ui/live/queries.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { accountTypes } from '#lib/deliveries/rules/event-types.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { happenedDays } from '#lib/operations/rules/attention-kinds.ts'
import { listAccounts } from '#lib/people/standings/list-accounts.ts'
import { listCurrencies, listStandingStates } from '#lib/people/standings/standing-states.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { allowStandingsExportAction } from '../actions.ts'
import { type GivenQuery, queryOf } from '../address-of.ts'
import { AccountsList } from './accounts-list.tsx'
import { accountsAddress, readAccountsSearch } from './search.ts'

export const metadata: Metadata = { title: 'Accounts' }

export default async function AccountsPage({ searchParams }: { readonly searchParams: Promise<GivenQuery> }) {
  const search = readAccountsSearch(queryOf(await searchParams))
  const caller = await requirePage('see-everything', accountsAddress(search))
  const at = Date.now()
  const { look, type, state, currency, cursor } = search
  const [page, states, currencies] = await Promise.all([
    listAccounts(caller, {
      type: type ?? undefined,
      state: state ?? undefined,
      currency: currency ?? undefined,
      cursor: cursor ?? undefined,
      needsAttention: look !== null,
    }).catch(onRefusal(CursorRefused, () => redirect(accountsAddress({ ...search, cursor: null })))),
    listStandingStates(caller, accountTypes),
    listCurrencies(caller),
  ])
  return (
    <>
      <PageHeader title="Accounts">
        {look
          ? `Bank accounts and profiles that failed in the last ${happenedDays} days, without those snoozed on the overview.`
          : 'Bank accounts, recently updated first.'}{' '}
        <TimesNote />
      </PageHeader>
      <Queries>
        <AccountsList
          rendered={{ search, page, at }}
          states={states}
          currencies={currencies}
          allowExport={may(caller.role, 'work-on-cases') ? allowStandingsExportAction : null}
        />
      </Queries>
    </>
  )
}
