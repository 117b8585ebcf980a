'use client'

import { Search as Magnifier, X } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { subjectPath } from '#components/browser/subject-path.ts'
import { Kbd } from '#components/ui/kbd.tsx'
import type { FoundLine } from '#lib/search/find-lines.ts'
import type { Found } from '#lib/search/found.ts'
import type { Search } from './use-found-subjects.ts'

/** Takes whatever is pasted, says how it understood it, and opens the one hit on Enter. */
export function SearchBox({
  text,
  onText,
  search,
  onFocus,
}: {
  readonly text: string
  readonly onText: (text: string) => void
  readonly search: Search
  readonly onFocus: () => void
}) {
  const router = useRouter()
  const input = useRef<HTMLInputElement>(null)
  const only = onlyMatch(search)
  const [entered, setEntered] = useState<string | null>(null)
  useEffect(() => {
    if (entered === text && only) router.push(subjectPath(only))
  }, [entered, text, only, router])
  return (
    <search className="mt-4 block">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          // Pressed before the answer is here, Enter takes effect when it comes.
          setEntered(text)
          if (search.state === 'found' && !only) firstRow()?.focus()
        }}
        className="flex flex-wrap items-center gap-x-3 rounded-panel border border-line-control bg-surface px-3.5 shadow-card transition-colors focus-within:outline-2 focus-within:outline-focus hover:border-muted"
      >
        <Magnifier className="size-4 text-muted" aria-hidden />
        <input
          ref={input}
          type="search"
          data-search
          // A field has one line: what was pasted in several is shown in one, and kept as it was.
          value={text.replace(/\s*[\r\n]+\s*/g, ' ')}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text').trim()
            if (!/[\r\n]/.test(pasted)) return
            event.preventDefault()
            onText(pasted)
          }}
          onChange={(event) => onText(event.target.value)}
          onFocus={onFocus}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            if (text === '') event.currentTarget.blur()
            else onText('')
          }}
          aria-label="Search"
          aria-describedby="understood"
          placeholder="Id, hash, wallet, IBAN, e-mail, name or €255.86 20 Nov; many at once"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="min-h-10.5 min-w-0 flex-1 basis-40 appearance-none bg-transparent text-base outline-none placeholder:font-sans not-placeholder-shown:font-mono not-placeholder-shown:text-sm [&::-webkit-search-cancel-button]:hidden"
        />
        {text === '' ? (
          <span aria-hidden className="pointer-coarse:hidden">
            <Kbd>/</Kbd>
          </span>
        ) : (
          <button
            type="button"
            aria-label="Clear the search"
            onClick={() => {
              onText('')
              input.current?.focus()
            }}
            className="touch-target relative order-last grid size-6 place-items-center rounded-md text-faint hover:bg-hover hover:text-text max-sm:order-none"
          >
            <X className="size-4" aria-hidden />
          </button>
        )}
        <p
          id="understood"
          role="status"
          className="min-w-0 break-words pb-2 text-xs empty:hidden max-sm:basis-full sm:max-w-[60%] sm:truncate sm:pb-0"
        >
          {text !== '' && <QueryExplanation search={search} opens={only !== null} />}
        </p>
      </form>
    </search>
  )
}

function QueryExplanation({ search, opens }: { readonly search: Search; readonly opens: boolean }) {
  const { state, found, explanation } = search
  if (state === 'nothing-to-look-for') return <span className="text-muted">{explanation}</span>
  if (state === 'failed') return <span className="text-fail">{explanation}, but the search failed</span>
  if (state === 'looking' || !found) return <span className="text-muted">{explanation} · looking…</span>
  if (found.lines) return <span className="text-done">{linesText(explanation, found.lines)}</span>
  const count = found.named.length + found.rows.length
  if (count === 0 && found.people.length > 0)
    return (
      <span className="text-done">
        {explanation} · {found.people.length === 1 ? 'one person' : `${found.people.length} people`}
      </span>
    )
  if (count === 0) return <span className="text-held">{explanation} · nothing found</span>
  return (
    <span className="text-done">
      {explanation} · {howMany(found, count)} {count === 1 ? 'match' : 'matches'}
      {opens && ', press ↵'}
    </span>
  )
}

/** "40 lines · 38 found". */
function linesText(explanation: string, lines: readonly FoundLine[]): string {
  const found = lines.filter(({ subject, person }) => subject ?? person)
  return `${explanation} · ${found.length === lines.length ? 'all' : found.length} found`
}

function howMany({ total, next, cut }: Found, count: number): string {
  if (total)
    return `${total.exact ? '' : total.atLeast ? 'at least ' : 'more than '}${new Intl.NumberFormat('en').format(total.count)}`
  return next || cut ? `more than ${count}` : String(count)
}

/** The subject that Enter opens: the one that is named, or the only one found. */
function onlyMatch({ state, found }: Search): string | null {
  if (state !== 'found' || !found || found.next || found.cut) return null
  const [only, other] = [...found.named, ...found.rows]
  return only && !other ? only.subjectId : null
}

const firstRow = () =>
  [...document.querySelectorAll<HTMLElement>('[data-row]')].find((row) => row.checkVisibility())
