'use client'

import { Search, SearchX, Users, X } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { entryKey, PerEntry, useKeptPlace } from '#components/ui/browser/kept-place.ts'
import { useRowKeys } from '#components/ui/browser/row-keys.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import { useDraft } from '#components/ui/form/draft.tsx'
import { RefusalCallout, type RefusalText, refusalOf } from '#components/ui/form/refusal-callout.tsx'
import { Pagination } from '#components/ui/list/pagination.tsx'
import { RefreshOnKind } from '#components/ui/live/refresh-on-kind.tsx'
import { DeadLinkCallout, type WhyDead } from '#components/ui/shared/dead-link-callout.tsx'
import type { LinkedPeople } from '#lib/people/list-people.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { DeadLink } from '#lib/search/search-link.ts'
import { PeopleTable } from './people-table.tsx'

/** `page` is a page of the list, or of a search; `way` holds the cursors that led to it. */
interface Shown {
  readonly page: LinkedPeople
  readonly way: readonly (string | null)[]
}

const shownOf = new PerEntry<Shown>()

/** The reader wants a typed text, or the search of a link. */
type Wanted = { readonly q: string } | { readonly link: string }

/** The directory sends a typed text in no address, because logs keep addresses. */
export function PeopleDirectory({
  first,
  deadLink,
  search,
  empty,
}: {
  readonly first: LinkedPeople
  /** `deadLink` says why the link of the address opened nothing; null when it did, or has none. */
  readonly deadLink: WhyDead | null
  readonly search: Action<LinkedPeople | DeadLink>
  /** `empty` is the button that adds people. */
  readonly empty: ReactNode
}) {
  const [text, setText] = useState(first.text)
  const [shown, setShown] = useState<Shown>({ page: first, way: [null] })
  const [given, setGiven] = useState(first)
  const { page, way } = shown
  const isNewest = page.link === null && way.length === 1
  if (given !== first) {
    setGiven(first)
    if (isNewest && first.link === null) setShown({ page: first, way })
  }
  const [problem, setProblem] = useState<RefusalText | null>(null)
  const [dead, setDead] = useState<WhyDead | null>(deadLink)
  const [loading, setLoading] = useState(false)
  const latest = useRef(0)
  const form = useRef<HTMLFormElement>(null)
  // The text is kept until it is searched for; each list that a search has found has its own address.
  const draft = useDraft(form, `search ${page.link}`)
  useRowKeys()
  // A reader who comes back sees the page of the list that they had opened.
  useLayoutEffect(() => {
    const kept = shownOf.get(entryKey())
    if (!kept) return
    setShown(kept)
    setText(kept.page.text)
  }, [])
  useLayoutEffect(() => shownOf.set(entryKey(), shown), [shown])
  useKeptPlace()

  async function show(wanted: Wanted, way: readonly (string | null)[]) {
    const number = ++latest.current
    setLoading(true)
    const cursor = way.at(-1)
    const state = await callAction(search, cursor ? { ...wanted, cursor } : wanted)
    if (number !== latest.current) return
    setLoading(false)
    setProblem(refusalOf(state) ?? (state.kind === 'signed-out' ? signedOut : null))
    if (state.kind !== 'done') return
    draft.end()
    if (state.value === null || state.value === 'erased') return setDead(state.value ?? 'unknown')
    setDead(null)
    setShown({ page: state.value, way })
  }
  // A refresh that was under way during the search ends with the address from before it.
  useEffect(() => {
    if (dead === null) putLinkInAddress(page.link)
  })

  /** The list shows another of its pages. */
  const turn = (way: readonly (string | null)[]) =>
    void show(shown.page.link === null ? { q: '' } : { link: shown.page.link }, way).then(() =>
      window.scrollTo({ top: 0, behavior: 'instant' }),
    )

  const searchFor = useEffectEvent((q: string) => void show({ q }, [null]))
  const typed = useRef(false)
  useEffect(() => {
    if (!typed.current) return
    const timer = setTimeout(() => searchFor(text.trim()), 150)
    return () => clearTimeout(timer)
  }, [text])

  const q = page.text
  return (
    <>
      {/* A search is counted and limited, also that of a dead link, so none is repeated with each change. */}
      {isNewest && dead === null && <RefreshOnKind kind="entity" />}
      <search aria-label="People" className="relative mt-4 block">
        <form ref={form} method="post" onSubmit={(event) => event.preventDefault()}>
          <Search className="pointer-events-none absolute top-3.25 left-3.5 size-4 text-muted" aria-hidden />
          <input
            type="search"
            name="q"
            data-search
            value={text}
            onChange={(event) => {
              typed.current = true
              setText(event.target.value)
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              if (text === '') return event.currentTarget.blur()
              typed.current = true
              setText('')
            }}
            maxLength={500}
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
              onClick={() => {
                typed.current = true
                setText('')
              }}
            >
              <X aria-hidden />
            </Button>
          )}
        </form>
      </search>
      {dead && <DeadLinkCallout why={dead} />}
      {problem && <RefusalCallout refusal={problem} className="mt-4" />}
      <Card className="mt-4" aria-label={q === '' ? 'Everybody' : 'Found'} aria-busy={loading}>
        {page.rows.length > 0 ? (
          <>
            {page.cut && <MoreMatchesNote />}
            <PeopleTable people={page.rows} list={`${page.link} ${way.at(-1)}`} isFirst={isNewest} />
            <Pagination
              pending={loading}
              onNewer={way.length > 1 ? () => turn(way.slice(0, -1)) : null}
              onOlder={page.next === null ? null : () => turn([...way, page.next])}
            >
              {footerText(shown)}
            </Pagination>
          </>
        ) : q !== '' ? (
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
        )}
      </Card>
    </>
  )
}

const signedOut = {
  title: 'Your session has ended.',
  next: 'Reload the page and sign in again.',
}

/** The address names the search by a link that says nothing of its text. */
function putLinkInAddress(link: string | null) {
  const address = new URL(location.href)
  if (address.searchParams.get('search') === link) return
  if (link === null) address.searchParams.delete('search')
  else address.searchParams.set('search', link)
  history.replaceState(history.state, '', address)
}

/** The note is above the list, because some people may be missing from it. */
const MoreMatchesNote = () => (
  <p className="border-b bg-held-bg px-4 py-2.5 text-held text-sm">
    Only part of the matches was checked, so some may be missing. Type more.
  </p>
)

function footerText({ page: { text, rows, total, next }, way }: Shown): string {
  if (text === '' && total)
    return `${total.exact ? '' : 'More than '}${total.count.toLocaleString('en')} ${total.count === 1 ? 'person' : 'people'}, newest first`
  return next || way.length > 1 ? `${rows.length} on this page` : `${rows.length} found`
}
