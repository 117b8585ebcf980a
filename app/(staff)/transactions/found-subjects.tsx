'use client'

import { SearchX } from 'lucide-react'
import { FetchFailed } from '#components/fetch-json.ts'
import { LoadError } from '#components/load-error.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pagination } from '#components/ui/pagination.tsx'
import { FoundPeople } from '#components/users/found-people.tsx'
import type { Found } from '#lib/search/found.ts'
import { NothingFound } from '../nothing-found.tsx'
import { SubjectsTable } from './subjects-table.tsx'
import { TransactionsSkeleton } from './transactions-skeleton.tsx'
import type { Search } from './use-found-subjects.ts'
import { usePages } from './use-pages.ts'

/** One page of what a search found, or why it may not be here. */
export function FoundSubjects({
  text,
  cursor,
  onCursor,
  search,
  sandboxUrl,
}: {
  readonly text: string
  readonly cursor: string | null
  readonly onCursor: (cursor: string | null) => void
  readonly search: Search
  readonly sandboxUrl: string | null
}) {
  const { state, found } = search
  const { onNewer, onOlderTo } = usePages(cursor, onCursor)
  const refused = cursor !== null && search.error instanceof FetchFailed && search.error.status === 400
  if (state === 'failed') {
    return (
      <Card className="mt-4" aria-label="Found">
        <LoadError error={search.error} onRetry={refused ? () => onCursor(null) : search.retry} />
      </Card>
    )
  }
  const { people = [], named = [], rows = [] } = found ?? {}
  return (
    <>
      {people.length > 0 && <FoundPeople people={people} />}
      {named.length > 0 && rows.length > 0 && (
        <Card className="mt-4" aria-label="This id itself">
          <SubjectsTable rows={named} first="This id itself" />
        </Card>
      )}
      <Card className="mt-4" aria-label="Found" aria-busy={state === 'looking'}>
        {state === 'nothing-to-look-for' ? (
          <EmptyState icon={SearchX} title={search.explanation}>
            An id can be whole, its beginning, its end, or shortened as it is printed here.
          </EmptyState>
        ) : found && (named.length > 0 || rows.length > 0 || cursor !== null) ? (
          <>
            {found.cut && <MoreMatchesNote />}
            <SubjectsTable
              rows={rows.length > 0 ? rows : named}
              first={named.length > 0 && rows.length > 0 ? 'Carries this id' : 'Found'}
            />
            {(onNewer || found.next) && (
              <Pagination pending={state === 'looking'} onNewer={onNewer} onOlder={onOlderTo(found.next)}>
                {footerText(found, cursor === null)}
              </Pagination>
            )}
          </>
        ) : state === 'looking' ? (
          <TransactionsSkeleton rows={3} />
        ) : people.length > 0 ? (
          <EmptyState title="Nothing was received about them yet" />
        ) : (
          <NothingFound
            title={<span className="wrap-anywhere">Nothing here is named “{text.trim().slice(0, 80)}”</span>}
            sandboxUrl={sandboxUrl}
          />
        )}
      </Card>
    </>
  )
}

/** What is not shown is said above what is. */
function MoreMatchesNote() {
  return (
    <p className="border-b bg-held-bg px-4 py-2.5 text-held text-sm">
      More ids match than are looked at, so newer ones may be missing here. More of the id finds them.
    </p>
  )
}

/** "The newest 50 of more than 1,000". */
function footerText({ total, rows }: Found, first: boolean): string {
  const shown = `${first ? 'The newest ' : ''}${rows.length}`
  if (!total) return `${shown}, newest first`
  return `${shown} of ${total.exact ? '' : 'more than '}${new Intl.NumberFormat('en').format(total.count)}`
}
