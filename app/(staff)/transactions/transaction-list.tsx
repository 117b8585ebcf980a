'use client'

import { Suspense, useEffect, useState } from 'react'
import { useKeptPlace } from '#components/ui/browser/kept-place.ts'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { useRowKeys } from '#components/ui/browser/row-keys.tsx'
import { useAddress } from '#components/ui/browser/use-address.ts'
import { ExportLater } from '#components/ui/export-list/export-later.tsx'
import type { AllowedExport } from '#components/ui/form/export-button.tsx'
import { useListTop } from '#components/ui/list/list-card.tsx'
import type { AllowedList } from '#lib/audit/export-ticket.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { FilterChoices } from '#lib/transactions/filters.ts'
import { type FilterTexts, namesWith } from '#lib/transactions/rules/transaction-filters.ts'
import { ListedTransactions } from './listed-transactions.tsx'
import { changedFilters, givenFilters, type Rendered, readTransactionsSearch } from './search.ts'
import { SearchBox } from './search-box.tsx'
import { TransactionFilterPanel } from './transaction-filter-panel.tsx'
import { prepareUnderstanding, useFoundSubjects, useSearchText } from './use-found-subjects.ts'

/** The matches load when somebody is about to search. */
const { Later: FoundSubjects, prepare } = loadLater(
  async () => (await import('./found-subjects.tsx')).FoundSubjects,
)

/** These load with an address that needs them. */
const { Later: DeadLinkCallout } = loadLater(
  async () => (await import('#components/ui/shared/dead-link-callout.tsx')).DeadLinkCallout,
)
const { Later: FiltersRefused } = loadLater(
  async () => (await import('./filters-refused.tsx')).FiltersRefused,
)

/** The list can be exported as these files. */
export interface ListExports {
  readonly lines: Action<AllowedExport>
  readonly transactions: Action<AllowedList>
}

const exportedTransactions = {
  noun: ['transaction', 'transactions'],
  holds: 'A file of this list, newest first, with amounts and user IDs.',
  address: '/api/transactions/export',
  fields: {},
} as const

/** The search is above, and the filters with the matches or the list are below it. */
export function TransactionList({
  rendered,
  choices,
  sandboxUrl,
  exports,
  onWalk,
}: {
  readonly rendered: Rendered
  readonly choices: FilterChoices
  readonly sandboxUrl: string | null
  /** `exports` is null for roles that may not export. */
  readonly exports: ListExports | null
  /** `j` or `k` has come to this row. */
  readonly onWalk?: (row: HTMLElement) => void
}) {
  const [search, setSearch, shown] = useAddress(readTransactionsSearch)
  const { typed, type } = useSearchText(rendered, search.search)
  // The browser checks its own choices, so only the address can hold an invalid filter, and only while it is
  // unchanged.
  const wrong = rendered.wrong.filter(({ name }) =>
    namesWith(name).every((each) => search[each] === rendered.search[each]),
  )
  const found = useFoundSubjects(typed, search, rendered, wrong.length === 0)
  const text = typed.text || found.found?.text || ''
  const [list, goToTop] = useListTop()
  // The address changes first, because the browser keeps the scroll position of the page that is left.
  const turnTo = (cursor: string | null) => {
    setSearch({ cursor }, 'push')
    goToTop()
  }
  const filterBy = (texts: FilterTexts) => setSearch({ ...changedFilters(texts), cursor: null }, 'push')
  const searchFor = (text: string) => {
    type(text)
    setSearch({ search: null, cursor: null }, 'replace')
  }
  const [named, setNamed] = useState<readonly [user: string, name: string]>()
  const { user } = search
  const person =
    user === null
      ? null
      : (named?.[0] === user && named[1]) || (rendered.search.user === user ? rendered.person : null)
  useRowKeys(onWalk)
  useKeptPlace(shown)
  const searching = typed.text.trim() !== '' || typed.link !== null
  // The address names the search by a link that says nothing of its text.
  const link = searching && found.state === 'found' ? (found.found?.link ?? null) : null
  useEffect(() => {
    if (link !== null) setSearch({ search: link }, 'replace')
  }, [link, setSearch])
  const given: Readonly<Record<string, string>> = givenFilters(search)
  return (
    <>
      <SearchBox
        text={text}
        onText={searchFor}
        search={found}
        addressed={link === null || search.search === link}
        onFocus={() => {
          prepareUnderstanding()
          prepare()
        }}
      />
      {rendered.deadLink && !searching && (
        <Suspense>
          <DeadLinkCallout why={rendered.deadLink} />
        </Suspense>
      )}
      {!found.found?.lines && (
        <TransactionFilterPanel
          search={search}
          choices={choices}
          person={person}
          ordered={!searching}
          onFilters={filterBy}
          onSort={(sort) => setSearch({ sort, cursor: null }, 'push')}
          onPerson={({ userUuid, name }) => {
            setNamed([userUuid, name])
            filterBy({ user: userUuid })
          }}
        >
          {exports && wrong.length === 0 && (!searching || link !== null) && (
            <ExportLater
              list={exportedTransactions}
              filters={{ ...given, ...(searching && link !== null ? { link } : {}) }}
              cut={searching && found.found?.cut === true}
              allow={exports.transactions}
            />
          )}
        </TransactionFilterPanel>
      )}
      <div ref={list} tabIndex={-1} className="outline-none">
        {wrong.length > 0 ? (
          <Suspense>
            <FiltersRefused wrong={wrong} onChange={filterBy} />
          </Suspense>
        ) : searching ? (
          <Suspense>
            <FoundSubjects
              text={text}
              search={found}
              filters={search}
              onCursor={turnTo}
              onFilters={filterBy}
              choices={choices}
              onText={searchFor}
              person={person}
              sandboxUrl={sandboxUrl}
              allowExport={exports?.lines ?? null}
            />
          </Suspense>
        ) : (
          <ListedTransactions
            search={search}
            onCursor={turnTo}
            onFilters={filterBy}
            person={person}
            rendered={rendered}
            sandboxUrl={sandboxUrl}
            onTop={goToTop}
          />
        )}
      </div>
    </>
  )
}
