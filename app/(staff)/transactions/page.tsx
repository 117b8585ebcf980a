import type { Metadata } from 'next'
import { Queries } from '#components/ui/live/queries.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { onRefusal, UseCaseRefusal } from '#lib/platform/refusals.ts'
import { search as findLinked } from '#lib/search/search.ts'
import { listFilterChoices, nameUser } from '#lib/transactions/filters.ts'
import { listTransactions } from '#lib/transactions/list-transactions.ts'
import { readFilters } from '#lib/transactions/rules/read-filters.ts'
import { type GivenQuery, queryOf } from '../address-of.ts'
import { allowLinesExportAction, allowTransactionsExportAction } from './actions.ts'
import { type Rendered, readTransactionsSearch, type TransactionsSearch, transactionsUrl } from './search.ts'
import { TransactionList } from './transaction-list.tsx'

export const metadata: Metadata = { title: 'Transactions' }

export default async function TransactionsPage({
  searchParams,
}: {
  readonly searchParams: Promise<GivenQuery>
}) {
  const search = readTransactionsSearch(queryOf(await searchParams))
  const caller = await requirePage('see-everything', transactionsUrl('/transactions', search))
  return (
    <>
      <PageHeader title="Transactions">
        <TimesNote />
      </PageHeader>
      <Transactions caller={caller} search={search} />
    </>
  )
}

async function Transactions({
  caller,
  search,
}: {
  readonly caller: Caller
  readonly search: TransactionsSearch
}) {
  const [rendered, choices] = await Promise.all([render(caller, search), listFilterChoices(caller)])
  return (
    <Queries>
      <TransactionList
        rendered={rendered}
        choices={choices}
        sandboxUrl={env().sandboxUrl?.href ?? null}
        exports={
          may(caller.role, 'work-on-cases')
            ? { lines: allowLinesExportAction, transactions: allowTransactionsExportAction }
            : null
        }
      />
    </Queries>
  )
}

async function render(caller: Caller, search: TransactionsSearch): Promise<Rendered> {
  const at = Date.now()
  const { match, wrong } = readFilters(search, at)
  const person = match.userUuid === undefined ? null : await nameUser(caller, match.userUuid)
  const none = { search, at, wrong, page: null, found: null, deadLink: null, person }
  // The browser shows which filter is invalid, and lists nothing.
  if (wrong.length > 0) return none
  const { search: link, sort } = search
  const cursor = search.cursor ?? undefined
  if (link !== null) {
    const found = await findLinked(caller, { link }, { ...match, cursor }).catch(leaveToBrowser)
    if (found === null) return { ...none, deadLink: 'unknown' }
    if (found === 'erased') return { ...none, deadLink: found }
    return { ...none, found: found ?? null }
  }
  const page = await listTransactions(caller, { ...match, sort: sort ?? undefined, cursor }).catch(
    leaveToBrowser,
  )
  return { ...none, page: page ?? null }
}

/** The browser asks again for what was refused, such as an invalid place in the list, and shows why. */
const leaveToBrowser = onRefusal(UseCaseRefusal, () => undefined)
