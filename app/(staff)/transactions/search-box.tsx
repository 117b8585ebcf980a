'use client'

import { clsx } from 'clsx'
import { Search as Magnifier, X } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { Suspense, useEffect, useRef, useState } from 'react'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { isComposing } from '#components/ui/browser/row-keys.tsx'
import { openPage } from '#components/ui/form/leave-guard.ts'
import { Kbd } from '#components/ui/kbd.tsx'
import { listInField } from '#components/ui/search/list-in-field.ts'
import type { Search } from './use-found-subjects.ts'

/** The explanation loads when somebody is about to search. */
const { Later: QueryExplanation, prepare } = loadLater(
  async () => (await import('./query-explanation.tsx')).QueryExplanation,
)

/** The box accepts any pasted text, says how it understood it, and opens the single match on Enter. */
export function SearchBox({
  text,
  onText,
  search,
  addressed,
  onFocus,
}: {
  readonly text: string
  readonly onText: (text: string) => void
  readonly search: Search
  /** `addressed`: the address names the search. If it were written later, it would cancel the way to another page. */
  readonly addressed: boolean
  readonly onFocus: () => void
}) {
  const router = useRouter()
  const input = useRef<HTMLInputElement>(null)
  const only = onlyMatch(search)
  const [entered, setEntered] = useState<string | null>(null)
  // Enter before the answer takes effect when the answer comes.
  useEffect(() => {
    if (entered !== text || search.state !== 'found' || !addressed) return
    setEntered(null)
    if (!only) return firstRow()?.focus()
    const path = subjectPath(only)
    openPage(path, () => router.push(path))
  }, [entered, text, search.state, addressed, only, router])
  return (
    <search className="mt-4 block">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault()
          setEntered(text)
        }}
        className="flex flex-wrap items-center gap-x-3 rounded-panel border border-line-control bg-surface px-3.5 shadow-card transition-colors focus-within:outline-2 focus-within:outline-focus hover:border-muted sm:flex-nowrap"
      >
        <Magnifier className="size-4 text-muted" aria-hidden />
        <input
          ref={input}
          type="search"
          data-search
          {...listInField(text, onText)}
          onFocus={() => {
            prepare()
            onFocus()
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
            if (text === '') event.currentTarget.blur()
            else onText('')
          }}
          aria-label="Search"
          aria-describedby="understood"
          placeholder="ID, hash, wallet, IBAN, e-mail, name or amount, or paste a list"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="min-h-10.5 min-w-0 flex-1 basis-40 max-sm:basis-0 appearance-none bg-transparent text-base outline-none placeholder:font-sans not-placeholder-shown:font-mono not-placeholder-shown:text-sm [&::-webkit-search-cancel-button]:hidden"
        />
        {text === '' ? (
          <span aria-hidden className="stacked:hidden pointer-coarse:hidden">
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
          className={clsx(
            'min-w-0 break-words text-xs empty:hidden max-sm:basis-full max-sm:pb-2 sm:max-w-[60%] sm:py-1',
            // The room for the explanation is kept, so that the list does not move.
            search.state === 'looking' && 'max-sm:min-h-[3.625rem]',
          )}
        >
          {text !== '' && (
            <Suspense>
              <QueryExplanation search={search} opens={only !== null} />
            </Suspense>
          )}
        </p>
      </form>
    </search>
  )
}

/** Enter opens this subject: the one that the text names, or the only match. */
function onlyMatch({ state, found }: Search): string | null {
  if (state !== 'found' || !found || found.next || found.cut) return null
  const [only, other] = [...found.named, ...found.rows]
  return only && !other ? only.subjectId : null
}

const firstRow = () =>
  [...document.querySelectorAll<HTMLElement>('[data-row]')].find((row) => row.checkVisibility())
