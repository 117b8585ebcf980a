'use client'

import { clsx } from 'clsx'
import { Command } from 'cmdk'
import { CornerDownRight, Search, SquareMousePointer } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { Dialog } from 'radix-ui'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { FetchFailed, failureText, postJson } from '#components/ui/browser/fetch-json.ts'
import { isComposing } from '#components/ui/browser/row-keys.tsx'
import { noteSignOut } from '#components/ui/browser/session.ts'
import { overlayClass } from '#components/ui/dialog-panel.tsx'
import { openPage } from '#components/ui/form/leave-guard.ts'
import { Kbd } from '#components/ui/kbd.tsx'
import { useQuickSearch } from '#components/ui/search/search-link.tsx'
import type { Role } from '#lib/access/rules/roles.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { longestPaste } from '#lib/search/rules/limits.ts'
import { readLines } from '#lib/search/rules/read-lines.ts'
import { understand } from '#lib/search/rules/understand.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { foundCount, linesFoundCount } from '../found-count.ts'
import { FoundItemLine, foundItems, PaletteItem } from './found-item-line.tsx'
import { commandsFor, pageCommands, runPageCommand } from './palette-commands.tsx'
import { readRecent, recentLabel } from './recent-places.ts'

export interface PalettePage {
  readonly href: string
  readonly name: string
}

export interface PaletteProps {
  readonly role: Role
  /** `person` separates the recent places of people in this browser. */
  readonly person: string
  /** The role may open these pages. */
  readonly pages: readonly PalettePage[]
  /** The page under the palette has this path. */
  readonly path: string
  readonly onClose: () => void
}

/** The palette opens any page, finds anything, and runs commands of any page. Typing, arrows and Enter are enough. */
export function Palette({ role, person, pages: everyPage, path, onClose }: PaletteProps) {
  const router = useRouter()
  const find = useQuickSearch()
  const signOut = useRef<HTMLFormElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [before] = useState(() => document.activeElement)
  const [text, setText] = useState('')
  const [selected, setSelected] = useState('')
  const [steered, setSteered] = useState(false)
  const [entered, setEntered] = useState<string | null>(null)
  const [recent] = useState(() => readRecent(person, path))
  const [offered] = useState(pageCommands)
  const chosen = useRef<string | null>(null)
  const search = usePaletteSearch(text)
  const { state, found } = search

  const words = text.trim().toLowerCase()
  const matches = (name: string) => words === '' || ` ${name.toLowerCase()}`.includes(` ${words}`)
  const here = offered.filter(({ name }) => matches(name))
  const pages = everyPage.filter(({ name }) => matches(name))
  const commands = commandsFor(role, () => signOut.current?.requestSubmit()).filter(
    ({ name, words: more = '' }) => matches(`${name} ${more}`),
  )
  const items = found ? foundItems(found) : []
  // The text below says why nothing was found, and what to type instead.
  const nothing =
    words !== '' &&
    (state === 'found' || state === 'nothing-to-look-for') &&
    [...items, ...here, ...pages, ...commands].length === 0
  const firstOf = [
    words === '' && recent[0] && `recent ${recent[0].path}`,
    items[0]?.value,
    here[0] && `here ${here[0].name}`,
    pages[0] && `page ${pages[0].href}`,
    commands[0] && `do ${commands[0].name}`,
    'everything',
  ]
  const first = firstOf.find((one) => typeof one === 'string') ?? ''

  const go = (href: string) => {
    onClose()
    openPage(href, () => router.push(href))
  }
  // The first result is chosen as it arrives, unless the reader has moved the choice.
  useEffect(() => {
    if (state !== 'looking' && !steered) setSelected(first)
  }, [state, first, steered])
  // Enter before the answer takes effect when the answer comes: it opens the first item of the list.
  useEffect(() => {
    if (entered === null || entered !== text || state === 'looking') return
    setEntered(null)
    list.current?.querySelector<HTMLElement>(`[data-value="${CSS.escape(first)}"]`)?.click()
  }, [entered, text, state, first])

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key)) setSteered(true)
    if (event.key !== 'Enter' || state !== 'looking' || steered) return
    event.preventDefault()
    setEntered(text)
  }
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text').trim()
    if (!/[\r\n]/.test(pasted) && readLines(cleanText(pasted)) === null) return
    event.preventDefault()
    onClose()
    void find(pasted)
  }

  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlayClass} />
        <Dialog.Content
          aria-describedby={undefined}
          // The command of a page may open a dialog or take the focus. The palette has given both back by then.
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (chosen.current !== null) runPageCommand(chosen.current)
            else if (before instanceof HTMLElement) before.focus()
          }}
          onEscapeKeyDown={(event) => {
            if (isComposing(event)) event.preventDefault()
          }}
          className="fixed top-[10dvh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-2xl -translate-x-1/2 overflow-hidden rounded-xl bg-raised shadow-float outline-none"
        >
          <Dialog.Title className="sr-only">Find anything</Dialog.Title>
          <Command
            label="Find anything"
            shouldFilter={false}
            vimBindings={false}
            loop
            value={selected}
            onValueChange={setSelected}
            onKeyDown={onKeyDown}
          >
            <div className="flex items-center gap-3 border-b px-4">
              <Search className="size-4 shrink-0 text-muted" aria-hidden />
              <Command.Input
                value={text}
                onValueChange={(typed) => {
                  setText(typed)
                  setSteered(false)
                }}
                onPaste={onPaste}
                maxLength={longestPaste}
                placeholder="ID, name, IBAN, €255.86 20 Nov, page or action"
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-muted"
              />
              <Kbd>Esc</Kbd>
            </div>
            {nothing && (
              <p className="wrap-anywhere px-4 pt-4 pb-3 text-sm">
                Nothing found for “{text.trim().slice(0, 60)}”.
              </p>
            )}
            <Command.List
              ref={list}
              label="Pages and actions"
              className={clsx(listClass, nothing ? 'px-1.5' : 'p-1.5')}
            >
              {found && (
                <Command.Group heading="Found">
                  {items.map((item) => (
                    <FoundItemLine key={item.value} item={item} why={found.why} go={go} />
                  ))}
                  {found.link && (
                    <PaletteItem
                      value="everything"
                      icon={Search}
                      onSelect={() => {
                        if (state === 'found') return go(`/transactions?search=${found.link}`)
                        onClose()
                        void find(text, { open: 'list' })
                      }}
                    >
                      {nothing ? 'Search the transactions for' : 'All results for'} “
                      {text.trim().slice(0, 60)}”
                    </PaletteItem>
                  )}
                </Command.Group>
              )}
              {words === '' && recent.length > 0 && (
                <Command.Group heading="Recent">
                  {recent.map((place) => (
                    <PaletteItem
                      key={place.path}
                      value={`recent ${place.path}`}
                      icon={CornerDownRight}
                      onSelect={() => go(place.path)}
                    >
                      {recentLabel(place)} <span className="mono">{shortId(place.id)}</span>
                    </PaletteItem>
                  ))}
                </Command.Group>
              )}
              {here.length > 0 && (
                <Command.Group heading="On this page">
                  {here.map(({ name }) => (
                    <PaletteItem
                      key={name}
                      value={`here ${name}`}
                      icon={SquareMousePointer}
                      onSelect={() => {
                        chosen.current = name
                        onClose()
                      }}
                    >
                      {name}
                    </PaletteItem>
                  ))}
                </Command.Group>
              )}
              {pages.length > 0 && (
                <Command.Group heading="Go to">
                  {pages.map(({ href, name }) => (
                    <PaletteItem
                      key={href}
                      value={`page ${href}`}
                      icon={CornerDownRight}
                      onSelect={() => go(href)}
                    >
                      {name}
                    </PaletteItem>
                  ))}
                </Command.Group>
              )}
              {commands.length > 0 && (
                <Command.Group heading="Actions">
                  {commands.map(({ name, icon, run }) => (
                    <PaletteItem
                      key={name}
                      value={`do ${name}`}
                      icon={icon}
                      onSelect={() => {
                        if (typeof run !== 'function') return go(run.href)
                        onClose()
                        run()
                      }}
                    >
                      {name}
                    </PaletteItem>
                  ))}
                </Command.Group>
              )}
            </Command.List>
          </Command>
          <p role="status" className="wrap-anywhere min-h-9 border-t px-4 py-2 text-muted text-xs">
            {paletteStatus(text, search)}
          </p>
          <form
            ref={signOut}
            method="post"
            action="/api/sign-out"
            onSubmit={noteSignOut}
            className="hidden"
          />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const listClass =
  'max-h-[min(60dvh,28rem,80dvh-10rem)] overflow-y-auto overscroll-contain ' +
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-label [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-faint'

/** The palette searches for its text, and this is the state of the search. */
interface PaletteSearch {
  readonly state: 'nothing-to-look-for' | 'looking' | 'found' | 'failed'
  /** `found` belongs to this text, or to the one before it until the answer arrives. */
  readonly found: LinkedFound | null
  readonly explanation: string
  /** `failure` says why the search failed, and what to do. */
  readonly failure: string | null
}

interface Answer {
  readonly text: string
  readonly found: LinkedFound | null
  readonly failure: string | null
}

/**
 * The search runs a moment after the last key. Changes that arrive meanwhile are ignored, because nobody stays in
 * the palette.
 */
export function usePaletteSearch(typed: string): PaletteSearch {
  const text = typed.trim()
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { searchable: possible, explanation, pause } = understand(text)
  useEffect(() => {
    if (!possible) return
    const leave = new AbortController()
    const ask = async () => {
      const asked = postJson<LinkedFound>('/api/search', { text, limit: 6 }, leave.signal)
      const answered = await asked.then(
        (found) => ({ text, found, failure: null }),
        (error: unknown) => {
          if (!leave.signal.aborted && !(error instanceof FetchFailed)) throw error
          return { text, found: null, failure: failureText(error) }
        },
      )
      if (!leave.signal.aborted) setAnswer(answered)
    }
    const timer = setTimeout(() => void ask(), pause)
    return () => {
      clearTimeout(timer)
      leave.abort()
    }
  }, [text, possible, pause])
  const isCurrent = answer?.text === text
  return {
    state: !possible ? 'nothing-to-look-for' : !isCurrent ? 'looking' : answer.found ? 'found' : 'failed',
    found: possible ? (answer?.found ?? null) : null,
    explanation,
    failure: isCurrent ? (answer?.failure ?? null) : null,
  }
}

/** The palette shows this line about its search. */
export function paletteStatus(text: string, { state, found, explanation, failure }: PaletteSearch): string {
  if (text.trim() === '') return '↑ ↓ choose · Enter opens · paste several lines for several answers'
  if (state === 'nothing-to-look-for') return explanation
  if (state === 'looking') return `${explanation} · looking…`
  if (state === 'failed' || !found) return `${explanation} · the search failed. ${failure ?? ''}`
  if (found.lines) return `${explanation} · ${linesFoundCount(found.lines)}, Enter shows each`
  return `${explanation} · ${foundCount(found)}`
}
