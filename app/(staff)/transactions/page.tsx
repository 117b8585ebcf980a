import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Suspense } from 'react'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { env } from '#lib/env.ts'
import type { Caller } from '#lib/request/caller.ts'
import { CursorRefused, onRefusal, TooMany } from '#lib/request/refusals.ts'
import { search as findLinked } from '#lib/search/search.ts'
import { listTransactions } from '#lib/transactions/list-transactions.ts'
import { allowLinesExportAction } from './actions.ts'
import type { Rendered } from './rendered.ts'
import { loadTransactionsSearch, type TransactionsSearch, transactionsApiUrl } from './search.ts'
import { TransactionList } from './transaction-list.tsx'
import { ListSkeleton } from './transactions-skeleton.tsx'

export const metadata: Metadata = { title: 'Transactions' }

export default async function TransactionsPage({
  searchParams,
}: {
  readonly searchParams: Promise<SearchParams>
}) {
  const search = await loadTransactionsSearch(searchParams)
  const caller = await requirePage('see-everything', transactionsApiUrl('/transactions', search))
  return (
    <>
      <PageHeader title="Transactions">
        <TimesNote />
      </PageHeader>
      <Suspense fallback={<ListSkeleton />}>
        <Transactions caller={caller} search={search} />
      </Suspense>
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
  return (
    <TransactionList
      rendered={await render(caller, search)}
      sandboxUrl={env().sandboxUrl?.href ?? null}
      allowExport={may(caller.role, 'work-on-cases') ? allowLinesExportAction : null}
    />
  )
}

async function render(caller: Caller, search: TransactionsSearch): Promise<Rendered> {
  const at = Date.now()
  const { search: link, direction, step, sort, cursor } = search
  if (link !== null) {
    const filters = { direction: direction ?? undefined, step: step ?? undefined }
    const found = await findLinked(caller, { link }, { ...filters, cursor: cursor ?? undefined })
      .catch(leaveToBrowser)
      .catch(onRefusal(TooMany, () => undefined))
    if (found === null) return { search, at, page: null, found, deadLink: 'unknown' }
    if (found === 'erased') return { search, at, page: null, found: null, deadLink: found }
    return { search, at, page: null, found: found ?? null, deadLink: null }
  }
  const page = await listTransactions(caller, {
    direction: direction ?? undefined,
    step: step ?? undefined,
    sort: sort ?? undefined,
    cursor: cursor ?? undefined,
  }).catch(leaveToBrowser)
  return { search, at, page: page ?? null, found: null, deadLink: null }
}

/** A place in the list that is none is asked for again in the browser, which says so. */
const leaveToBrowser = onRefusal(CursorRefused, () => undefined)
