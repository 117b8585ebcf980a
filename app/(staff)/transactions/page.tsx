import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Suspense } from 'react'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import type { Caller } from '#lib/auth/caller.ts'
import { requirePage } from '#lib/auth/require-page.ts'
import { env } from '#lib/env.ts'
import { findTransactions } from '#lib/transactions/find-transactions.ts'
import { listTransactions } from '#lib/transactions/list-transactions.ts'
import { ListSkeleton } from './list-skeleton.tsx'
import type { Rendered } from './rendered.ts'
import { loadTransactionsSearch, type TransactionsSearch, transactionsApi } from './search.ts'
import { TransactionsView } from './transactions-view.tsx'

export const metadata: Metadata = { title: 'Transactions' }

export default async function TransactionsPage({
  searchParams,
}: {
  readonly searchParams: Promise<SearchParams>
}) {
  const search = await loadTransactionsSearch(searchParams)
  const caller = await requirePage('see-everything', transactionsApi('/transactions', search))
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
    <TransactionsView rendered={await render(caller, search)} sandboxUrl={env().sandboxUrl?.href ?? null} />
  )
}

async function render(caller: Caller, search: TransactionsSearch): Promise<Rendered> {
  const at = Date.now()
  if (search.q !== '') return { search, at, page: null, matches: await findTransactions(caller, search.q) }
  const { direction, step, cursor } = search
  const page = await listTransactions(caller, {
    direction: direction ?? undefined,
    step: step ?? undefined,
    cursor: cursor ?? undefined,
  })
  return { search, at, page, matches: null }
}
