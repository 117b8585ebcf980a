'use client'

import { Search, SearchX, Users, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Action } from '#lib/forms/action-state.ts'
import type { PeoplePage } from '#lib/people/list-people.ts'
import { callAction } from '../form/call-action.ts'
import { Button } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { useRowKeys } from '../use-row-keys.ts'
import { PeopleTable } from './people-table.tsx'

/** A page of the list, or of what a search found, and the cursors that led to it. */
interface Shown {
  readonly q: string
  readonly page: PeoplePage
  readonly way: readonly (string | null)[]
}

/** The directory. What is typed into its search is sent in no address: addresses are written into logs. */
export function PeopleDirectory({
  first,
  list,
  empty,
}: {
  readonly first: PeoplePage
  readonly list: Action<PeoplePage>
  /** The button that makes people appear. */
  readonly empty: ReactNode
}) {
  const [text, setText] = useState('')
  const [shown, setShown] = useState<Shown>({ q: '', page: first, way: [null] })
  const [problem, setProblem] = useState<{ title: string; next: string } | null>(null)
  const [loading, setLoading] = useState(false)
  const latest = useRef(0)
  useRowKeys()

  async function show(q: string, way: readonly (string | null)[]) {
    const number = ++latest.current
    setLoading(true)
    const cursor = way.at(-1)
    const state = await callAction(list, cursor ? { q, cursor } : { q })
    if (number !== latest.current) return
    setLoading(false)
    setProblem(state.kind === 'refused' ? state : state.kind === 'signed-out' ? signedOut : null)
    if (state.kind === 'done') setShown({ q, page: state.value, way })
  }

  const wanted = useRef(show)
  wanted.current = show
  const typed = useRef(false)
  useEffect(() => {
    if (!typed.current) return
    const timer = setTimeout(() => void wanted.current(text.trim(), [null]), 150)
    return () => clearTimeout(timer)
  }, [text])

  const { q, page, way } = shown
  return (
    <>
      <search aria-label="People" className="relative mt-4 block">
        <Search className="pointer-events-none absolute top-[13px] left-3.5 size-4 text-muted" aria-hidden />
        <input
          type="search"
          data-search
          value={text}
          onChange={(event) => {
            typed.current = true
            setText(event.target.value)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
          maxLength={500}
          aria-label="Find people"
          placeholder="E-mail, name, customer number, wallet or uuid"
          autoComplete="off"
          spellCheck={false}
          className="h-[42px] w-full appearance-none rounded-panel border border-line-control bg-surface pr-10 pl-10 text-base shadow-card hover:border-muted focus-visible:outline-offset-0 [&::-webkit-search-cancel-button]:hidden"
        />
        {text !== '' && (
          <Button
            variant="ghost"
            size="sm"
            square
            aria-label="Clear the search"
            className="absolute top-[7px] right-2"
            onClick={() => {
              typed.current = true
              setText('')
            }}
          >
            <X aria-hidden />
          </Button>
        )}
      </search>
      {problem && (
        <Callout kind="error" title={problem.title} className="mt-4">
          {problem.next}
        </Callout>
      )}
      <Card className="mt-4" aria-label={q === '' ? 'Everybody' : 'Found'} aria-busy={loading}>
        {page.rows.length > 0 ? (
          <>
            {page.cut && <MoreMatchesNote />}
            <PeopleTable people={page.rows} />
            <Pagination
              pending={loading}
              onNewer={way.length > 1 ? () => void show(q, way.slice(0, -1)) : null}
              onOlder={page.next === null ? null : () => void show(q, [...way, page.next])}
            >
              {footerText(shown)}
            </Pagination>
          </>
        ) : q !== '' ? (
          <EmptyState
            icon={SearchX}
            title={<span className="wrap-anywhere">Nobody is found by “{q.slice(0, 80)}”</span>}
          >
            People are found by the beginning of an e-mail, a name, a customer number, a wallet or a uuid.
          </EmptyState>
        ) : (
          <EmptyState icon={Users} title="Nobody is here yet" action={empty}>
            People appear here when they sign up or in, when a delivery names them, or when they are imported.
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

/** What is not shown is said above what is. */
const MoreMatchesNote = () => (
  <p className="border-b bg-held-bg px-4 py-2.5 text-held text-sm">
    More people match than are looked at, so some may be missing here. Type more.
  </p>
)

function footerText({ q, page: { rows, total, next }, way }: Shown): string {
  if (q === '' && total)
    return `${total.exact ? '' : 'More than '}${total.count.toLocaleString('en')} ${total.count === 1 ? 'person' : 'people'}, newest first`
  return next || way.length > 1 ? `${rows.length} on this page` : `${rows.length} found`
}
