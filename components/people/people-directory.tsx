'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Search, SearchX, Users, X } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { FetchFailed, failureMessage } from '#components/ui/browser/fetch-json.ts'
import { isComposing, useRowKeys } from '#components/ui/browser/row-keys.tsx'
import type { AddressQuery } from '#components/ui/browser/use-address.ts'
import { useSettled } from '#components/ui/browser/use-settled.ts'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import { useDraft } from '#components/ui/form/draft.tsx'
import { RefusalCallout, refusalOf } from '#components/ui/form/refusal-callout.tsx'
import { Link } from '#components/ui/link.tsx'
import { useAddressedList } from '#components/ui/list/addressed-list.tsx'
import { ListCard, ListSkeleton } from '#components/ui/list/list-card.tsx'
import { type ListColumn, ListRows, NoValue } from '#components/ui/list/list-rows.tsx'
import { defineList, listKey } from '#components/ui/list/use-list.ts'
import { listInField } from '#components/ui/search/list-in-field.ts'
import { DeadLinkCallout, type WhyDead } from '#components/ui/shared/dead-link-callout.tsx'
import { totalWaiting } from '#components/ui/shared/total-label.ts'
import { Time } from '#components/ui/time.tsx'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import type { LinkedPeople, PersonView } from '#lib/people/list-people.ts'
import type { Action, ActionState } from '#lib/platform/forms/action-state.ts'
import { longestPaste } from '#lib/search/rules/limits.ts'
import type { DeadLink } from '#lib/search/search-link.ts'
import { countryName, shortId } from '#lib/words/labels/formats.ts'
import { PersonStatuses } from './standing-pill.tsx'

const idOf = ({ userUuid }: PersonView) => userUuid

const usePeople = defineList<PersonView, LinkedPeople>({
  key: 'people',
  idOf,
  subjects: subjectId({ kind: 'entity', id: '' }),
})

/** The address has the link of a search, and the place in the list. */
interface PeopleSearch extends Readonly<Record<string, string | null>> {
  readonly search: string | null
  readonly cursor: string | null
}

const readPeopleSearch = (query: AddressQuery): PeopleSearch => ({
  search: query.get('search'),
  cursor: query.get('cursor'),
})

const withSearch = (path: string, search: PeopleSearch): string => {
  const given = Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(given))}`
}

/** The directory sends a typed text in no address, because logs keep addresses. */
export function PeopleDirectory({
  rendered,
  deadLink,
  search: ask,
  empty,
}: {
  readonly rendered: { readonly page: LinkedPeople; readonly cursor: string | null; readonly at: number }
  /** `deadLink` says why the link of the address opened nothing; null when it did, or has none. */
  readonly deadLink: WhyDead | null
  readonly search: Action<LinkedPeople | DeadLink>
  /** `empty` is the button that adds people. */
  readonly empty: ReactNode
}) {
  const queries = useQueryClient()
  const [dead, setDead] = useState<WhyDead | null>(deadLink)
  // A dead link lists everybody.
  const routeOf = ({ search: link, cursor }: PeopleSearch) =>
    withSearch('/api/users', { search: dead === null ? link : null, cursor })
  const { search, setSearch, place, card } = useAddressedList(usePeople, {
    read: readPeopleSearch,
    routeOf,
    addressOf: (to) => withSearch('/users', to),
    readOf: ({ search: link, cursor }) =>
      link === null || dead !== null
        ? undefined
        : async () => peopleIn(await callAction(ask, cursor ? { link, cursor } : { link })),
    placeOf: ({ since }) => Date.parse(since),
    rendered: {
      ...rendered,
      search: { search: rendered.page.link, cursor: rendered.cursor },
    },
  })
  const { list, cursor } = card
  // Nobody who was erased stays in an open list. A page that nobody is left on shows who follows.
  const rows = list.rows?.filter((row) => !list.noLongerMatching.has(idOf(row))) ?? null
  if (list.rows?.length && rows?.length === 0) list.showNew()
  const page = list.reading ?? rendered.page
  const [typed, type] = useState<string | null>(null)
  const [answered, setAnswered] = useState<string | null>()
  // The address does not name the typed search any more: another page of the directory was opened.
  if (typed !== null && answered !== undefined && search.search !== answered) {
    type(null)
    setAnswered(undefined)
  }
  const text = typed ?? page.text
  const form = useRef<HTMLFormElement>(null)
  // The text is kept until it is searched for; each list that a search has found has its own address.
  const draft = useDraft(form, `search ${page.link}`)
  useRowKeys()
  const wanted = useSettled(typed === null ? null : typed.trim(), 150)
  // A search is counted and limited, so none is repeated with each change.
  const found = useQuery({
    queryKey: ['people', 'typed', wanted],
    queryFn: () => callAction(ask, { q: wanted ?? '' }),
    enabled: wanted !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    meta: { subjects: null },
  })
  const show = useEffectEvent((value: LinkedPeople | DeadLink) => {
    draft.end()
    if (value === null || value === 'erased') return setDead(value ?? 'unknown')
    setDead(null)
    const to = { search: value.link, cursor: null }
    queries.setQueryData(listKey('people', withSearch('/api/users', to)), { page: value })
    setAnswered(value.link)
    setSearch(to, 'replace')
  })
  useEffect(() => {
    if (found.data?.kind === 'done') show(found.data.value)
  }, [found.data])
  const problem = found.error ? failureMessage(found.error) : found.data && problemOf(found.data)
  const q = page.text
  return (
    <>
      <search aria-label="People" className="relative mt-4 block">
        <form ref={form} method="dialog" onSubmit={(event) => event.preventDefault()}>
          <Search className="pointer-events-none absolute top-3.25 left-3.5 size-4 text-muted" aria-hidden />
          <input
            type="search"
            name="q"
            data-search
            {...listInField(text, type)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
              if (text === '') event.currentTarget.blur()
              else type('')
            }}
            maxLength={longestPaste}
            aria-label="Find people"
            placeholder="E-mail, name, customer number, wallet or ID"
            autoComplete="off"
            spellCheck={false}
            className="min-h-10.5 w-full appearance-none rounded-panel border border-line-control bg-surface pr-10 pl-10 text-base shadow-card hover:border-muted focus-visible:outline-offset-0 [&::-webkit-search-cancel-button]:hidden"
          />
          {text !== '' && (
            <Button
              variant="ghost"
              size="sm"
              square
              aria-label="Clear the search"
              className="absolute top-1.75 right-2"
              onClick={() => type('')}
            >
              <X aria-hidden />
            </Button>
          )}
        </form>
      </search>
      {dead && <DeadLinkCallout why={dead} />}
      {problem && <RefusalCallout refusal={problem} className="mt-4" />}
      <div ref={place} tabIndex={-1} className="mt-4 outline-none">
        <ListCard
          name={q === '' ? 'Everybody' : 'Found'}
          what="people"
          {...card}
          list={{ ...list, rows, loading: list.loading || found.isFetching }}
          head={page.cut && page.rows.length > 0 && <MoreMatchesNote />}
          foot={footOf(page, list.latest ?? page, cursor)}
          skeleton={(rows) => <ListSkeleton rows={rows} what="people" />}
          empty={
            q !== '' ? (
              <EmptyState
                icon={SearchX}
                title={<span className="wrap-anywhere">No results for “{q.slice(0, 80)}”</span>}
              >
                Search by the beginning of an e-mail, name, customer number, wallet or ID.
              </EmptyState>
            ) : (
              <EmptyState icon={Users} title="No people yet" action={empty}>
                People appear here after a sign-up, a sign-in, a delivery or an import.
              </EmptyState>
            )
          }
        >
          {(rows) => <ListRows columns={columns} rows={rows} idOf={idOf} />}
        </ListCard>
      </div>
    </>
  )
}

const signedOut = {
  title: 'Your session has ended.',
  next: 'Reload the page and sign in again.',
}

const problemOf = (state: ActionState<unknown>) =>
  refusalOf(state) ?? (state.kind === 'signed-out' ? signedOut : null)

/** The page of a search is in the answer of the action, which may have refused. */
function peopleIn(state: ActionState<LinkedPeople | DeadLink>): LinkedPeople {
  if (state.kind === 'done' && state.value !== null && state.value !== 'erased') return state.value
  if (state.kind === 'refused') throw new FetchFailed(429, state)
  throw new FetchFailed(state.kind === 'signed-out' ? 401 : state.kind === 'unanswered' ? 0 : 400)
}

/** The note is above the list, because some people may be missing from it. */
const MoreMatchesNote = () => (
  <p className="border-b bg-held-bg px-4 py-2.5 text-held text-sm">
    Only part of the matches was checked, so some may be missing. Type more, or paste fewer lines.
  </p>
)

function footOf({ text, rows, next }: LinkedPeople, { total }: LinkedPeople, cursor: string | null): string {
  if (text === '' && total) return `${totalWaiting(total, ['person', 'people'], 0)}, newest first`
  return next || cursor !== null ? `${rows.length} on this page` : `${rows.length} found`
}

/** A narrow page keeps the name and the statuses. */
const columns: readonly ListColumn<PersonView>[] = [
  {
    name: 'Person',
    head: 'w-[55%] sm:w-[36%] lg:w-[32%]',
    cell: 'h-auto py-2.5',
    of: ({ userUuid, email, name, customerNumber }) => (
      <>
        <Link
          href={`/users/${userUuid}`}
          data-row
          title={email ?? name ?? userUuid}
          className="block truncate font-strong row-link"
        >
          {email ?? name ?? <span className="mono">{shortId(userUuid)}</span>}
        </Link>
        <span title={name ?? undefined} className="block truncate text-muted text-sm">
          {email === null ? null : name}
          {customerNumber && <span className="sm:hidden"> {customerNumber}</span>}
        </span>
      </>
    ),
  },
  {
    name: 'Customer number',
    className: 'max-sm:hidden',
    head: 'w-34',
    title: ({ customerNumber }) => customerNumber,
    of: ({ customerNumber }) => customerNumber ?? <NoValue />,
  },
  { name: 'Status', cell: 'whitespace-normal! py-1.5', of: (person) => <Statuses person={person} /> },
  {
    name: 'Country',
    className: 'max-md:hidden',
    head: 'w-20',
    cell: 'text-muted',
    of: ({ country }) => (country ? countryName(country) : <NoValue />),
  },
  {
    name: 'ID',
    className: 'max-xl:hidden',
    head: 'w-36',
    cell: 'mono text-muted',
    title: ({ userUuid }) => userUuid,
    of: ({ userUuid }) => shortId(userUuid),
  },
  {
    name: 'First seen',
    className: 'max-md:hidden',
    cell: 'text-muted',
    of: ({ since }) => <Time at={since} />,
  },
]

/** The events give the statuses until the service was asked. */
function Statuses({ person }: { readonly person: PersonView }) {
  const { status, standings = [], doubt = null } = person
  const isKnown = status !== null || standings.some(({ type }) => type === 'KYC')
  return (
    <span className="flex flex-wrap items-center gap-1">
      <PersonStatuses person={person} standings={standings} doubt={doubt} />
      {!isKnown && (
        <span className="text-muted text-sm" title="It comes with the profile, which is not loaded yet.">
          not read yet
        </span>
      )}
    </span>
  )
}
