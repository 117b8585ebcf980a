'use client'

import { FilterX, SearchX } from 'lucide-react'
import { Fragment } from 'react'
import { EndpointStatusPill } from '#components/endpoints/endpoint-status.tsx'
import { FoundBy, NearMisses, otherNames } from '#components/search/near-misses.tsx'
import { FetchFailed } from '#components/ui/browser/fetch-json.ts'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { AllowedExport } from '#components/ui/form/export-button.tsx'
import { Link } from '#components/ui/link.tsx'
import { Pagination } from '#components/ui/list/page-links.tsx'
import { usePages } from '#components/ui/list/use-list.ts'
import { LoadError } from '#components/ui/shared/load-error.tsx'
import { totalNumber } from '#components/ui/shared/total-label.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import type { Found, FoundEndpoint, FoundPerson } from '#lib/search/found.ts'
import { filtersInWords } from '#lib/search/labels/filters-in-words.ts'
import type { FilterChoices } from '#lib/transactions/filters.ts'
import { type FilterTexts, noFilters, textPartsOf } from '#lib/transactions/rules/transaction-filters.ts'
import { inSentence, shortId } from '#lib/words/labels/formats.ts'
import { NothingFound } from '../nothing-found.tsx'
import { FilterValue } from './filter-value.tsx'
import { FoundLines } from './found-lines.tsx'
import { TransactionsSkeleton } from './listed-transactions.tsx'
import { OtherField, OtherSubjectBlock, OtherSubjectRow } from './other-subject-row.tsx'
import { ScannedTo } from './scanned-to.tsx'
import { type TransactionsSearch, transactionsUrl } from './search.ts'
import { SubjectsTable } from './subjects-table.tsx'
import type { Search } from './use-found-subjects.ts'

/** The part shows one page of matches, or says why the thing may not be here. */
export function FoundSubjects({
  text,
  search,
  filters,
  onCursor,
  onFilters,
  choices,
  onText,
  person,
  sandboxUrl,
  allowExport,
}: {
  readonly text: string
  readonly search: Search
  /** The filters and the page apply together with the search. */
  readonly filters: TransactionsSearch
  readonly onCursor: (cursor: string | null) => void
  readonly onFilters: (texts: FilterTexts) => void
  /** Filters offer these values; the text may name some of them. */
  readonly choices: FilterChoices
  readonly onText: (text: string) => void
  /** `person` names the person of the filters. */
  readonly person: string | null
  readonly sandboxUrl: string | null
  readonly allowExport: Action<AllowedExport> | null
}) {
  const { state, found } = search
  const { cursor } = filters
  const parts = textPartsOf(filters)
  const { onNewer, onOlder, pages } = usePages(
    cursor,
    state === 'looking' ? null : (found?.next ?? null),
    onCursor,
    (to) => transactionsUrl('/transactions', { ...filters, cursor: to }),
  )
  const refused = cursor !== null && search.error instanceof FetchFailed && search.error.status === 400
  if (state === 'failed') {
    return (
      <Card className="mt-4" aria-label="Found">
        <LoadError error={search.error} onRetry={refused ? () => onCursor(null) : search.retry} />
      </Card>
    )
  }
  if (found?.lines) return <FoundLines found={found} lines={found.lines} allowExport={allowExport} />
  const {
    people = [],
    endpoints = [],
    named = [],
    rows = [],
    why = {},
    near = [],
    absence = null,
    scannedTo = null,
  } = found ?? {}
  const listed = rows.length > 0 ? rows : named
  const meant = filtersInWords(text, choices, Date.now())
  const instead = meant && (
    <Button
      onClick={() => {
        onText('')
        onFilters(meant)
      }}
    >
      <span>
        Filter by{' '}
        {textPartsOf(meant).map(({ part }, at) => (
          <Fragment key={part}>
            {at > 0 && ', '}
            <FilterValue part={part} texts={meant} person={null} />
          </Fragment>
        ))}
      </span>
    </Button>
  )
  const nothingNamed = <span className="wrap-anywhere">No results for “{text.trim().slice(0, 80)}”</span>
  return (
    <>
      {people.length > 0 && <FoundPeopleCard people={people} />}
      {endpoints.length > 0 && <FoundEndpointsCard endpoints={endpoints} />}
      {named.length > 0 && rows.length > 0 && (
        <Card className="mt-4" aria-label="The ID itself">
          <SubjectsTable
            rows={named}
            first="The ID itself"
            others={{ ...others, why: (id) => ownValue(why, id) }}
          />
        </Card>
      )}
      <Card className="mt-4" aria-label="Found" aria-busy={state === 'looking'}>
        {found?.cut && <MoreMatchesNote />}
        {state === 'nothing-to-look-for' ? (
          <EmptyState icon={SearchX} title={search.explanation} action={instead}>
            An ID can be whole, its beginning, its end, or shortened as shown here. You can paste several, one
            per line.
          </EmptyState>
        ) : found && (listed.length > 0 || cursor !== null || scannedTo !== null) ? (
          <>
            {listed.length > 0 && (
              <SubjectsTable
                rows={listed}
                first={named.length > 0 && rows.length > 0 ? 'Contains the ID' : 'Found'}
                others={{ ...others, why: (id) => ownValue(why, id) }}
                pages={pages}
              />
            )}
            {listed.length === 0 && scannedTo === null && (
              <EmptyState icon={SearchX} title="No more matches" />
            )}
            {scannedTo !== null && <ScannedTo to={scannedTo} sort="started" onFurther={onOlder} />}
            {(onNewer || found.next) && (
              <Pagination pending={state === 'looking'} onNewer={onNewer} onOlder={onOlder}>
                {footerText(found, cursor === null)}
              </Pagination>
            )}
          </>
        ) : state === 'looking' ? (
          <TransactionsSkeleton rows={3} />
        ) : near.length > 0 && parts.length > 0 ? (
          <NearMisses typed={text} near={near} />
        ) : parts.length > 0 ? (
          <EmptyState
            icon={FilterX}
            title={`No search result matches ${parts.length === 1 ? 'this filter' : 'all of these filters'}`}
            action={
              <>
                {instead}
                {parts.length > 1 &&
                  parts.map(({ part, rest }) => (
                    <Button key={part} onClick={() => onFilters(rest)}>
                      <span>
                        Remove <FilterValue part={part} texts={filters} person={person} />
                      </span>
                    </Button>
                  ))}
                <Button onClick={() => onFilters(noFilters)}>
                  Search without {parts.length === 1 ? 'the filter' : 'any'}
                </Button>
              </>
            }
          />
        ) : people.length > 0 ? (
          <EmptyState title="Nothing was received about them yet" />
        ) : endpoints.length > 0 ? (
          <EmptyState title="No transaction, account or person has this name" />
        ) : (
          <>
            {near.length > 0 && <NearMisses typed={text} near={near} />}
            {instead ? (
              <EmptyState icon={SearchX} title={nothingNamed} action={instead}>
                You can filter the list by this:
              </EmptyState>
            ) : (
              <NothingFound title={nothingNamed} sandboxUrl={sandboxUrl} absence={absence}>
                An ID is found by its beginning or end, not its middle. A masked account number is found only
                by the whole number.
              </NothingFound>
            )}
          </>
        )}
      </Card>
    </>
  )
}

const columns = {
  first: 'w-40 @min-[61rem]:w-56 @min-[70rem]:w-60',
  started: 'hidden @min-[71rem]:table-cell',
  chain: 'hidden @min-[79rem]:table-cell',
  direction: 'hidden @min-[87rem]:table-cell',
}
const others = { Row: OtherSubjectRow, Block: OtherSubjectBlock, Field: OtherField, columns }

/** The note is above the list, because some matches may be missing from it. */
function MoreMatchesNote() {
  return (
    <p className="border-b bg-held-bg px-4 py-2.5 text-held text-sm">
      Only part of the matches was checked, so some may be missing. Type more of the ID or name.
    </p>
  )
}

/** The text is "The newest 50 of more than 1,000". */
function footerText({ total, rows }: Found, first: boolean): string {
  if (rows.length === 0) return ''
  // The count says nothing about a page that read further than the count did.
  const known = total?.atLeast && total.count < rows.length ? null : total
  const shown = `${first ? 'The newest ' : ''}${rows.length}`
  if (!known) return `${shown}, newest first`
  return `${shown} of ${inSentence(totalNumber(known))}`
}

/** A search found these endpoints by name or id. The card is above the other results. */
const FoundEndpointsCard = ({ endpoints }: { readonly endpoints: readonly FoundEndpoint[] }) => (
  <Card className="mt-4" aria-label="Endpoints">
    <ul>
      {endpoints.map(({ endpointUuid, name, status }) => (
        <li
          key={endpointUuid}
          className="relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-3.5 py-3 text-table last:border-b-0 hover:bg-hover"
        >
          <Link href={`/endpoints/${endpointUuid}`} data-row className="font-strong row-link">
            {name}
          </Link>
          <EndpointStatusPill status={status} />
          <span className="mono text-muted">{shortId(endpointUuid)}</span>
        </li>
      ))}
    </ul>
  </Card>
)

/** A search named these people. The card is above what they did. */
const FoundPeopleCard = ({ people }: { readonly people: readonly FoundPerson[] }) => (
  <Card className="mt-4" aria-label="People">
    <ul>
      {people.map((person) => (
        <li
          key={person.userUuid}
          className="relative flex flex-wrap gap-x-4 gap-y-1 border-b px-3.5 py-3 text-table last:border-b-0 hover:bg-hover"
        >
          <Link href={`/users/${person.userUuid}`} data-row className="wrap-anywhere font-strong row-link">
            <FoundBy why={person.why} />
          </Link>
          {otherNames(person).map((text) => (
            <span key={text} className="wrap-anywhere">
              {text}
            </span>
          ))}
          {person.why.field !== 'person' && (
            <span className="mono text-muted">{shortId(person.userUuid)}</span>
          )}
        </li>
      ))}
    </ul>
  </Card>
)
