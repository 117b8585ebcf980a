'use client'

import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { may, type Role } from '#lib/domain/access/roles.ts'
import { isTyping } from '../browser/is-typing.ts'
import { useRowControls } from '../browser/use-row-controls.ts'
import { keysId, openKeys } from '../palette/open-keys.ts'
import { PaletteHost } from '../palette/palette-host.tsx'
import { isPaletteOpen, setPaletteOpen } from '../palette/palette-state.ts'
import { useQuickSearch } from '../search/use-quick-search.ts'
import { buttonClass } from '../ui/button.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { placesFor } from './places.ts'

/** The keys that work on every page, pasting among them, the palette, and the list of all keys. */
export function Shortcuts({ role, person }: { readonly role: Role; readonly person: string }) {
  const find = useQuickSearch()
  useRowControls()
  const list = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return setPaletteOpen(!isPaletteOpen())
      }
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return
      if (event.key === '/') {
        event.preventDefault()
        if (!focusSearch()) setPaletteOpen(true)
      }
      if (event.key === '?') openKeys()
    }
    const onPaste = (event: ClipboardEvent) => {
      if (!isTyping(event.target)) void find(event.clipboardData?.getData('text') ?? '')
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('paste', onPaste)
    }
  }, [find])
  return (
    <>
      <PaletteHost role={role} person={person} pages={pagesFor(role)} />
      <dialog
        ref={list}
        id={keysId}
        data-makes-way
        aria-labelledby="keys-title"
        className="m-auto w-[26rem] max-w-[calc(100vw-2rem)] rounded-xl bg-raised p-5 text-text shadow-float backdrop:bg-overlay open:animate-float"
      >
        <div className="mb-3 flex items-center justify-between">
          <h2 id="keys-title" className="font-heading text-lg">
            Keys
          </h2>
          <button
            type="button"
            aria-label="Close"
            onClick={() => list.current?.close()}
            className={buttonClass({ variant: 'ghost', size: 'sm', square: true })}
          >
            <X aria-hidden />
          </button>
        </div>
        <dl className="grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2.5 text-sm">
          {keys.map(([names, meaning]) => (
            <div key={meaning} className="contents">
              <dt className="flex gap-1">
                {names.map((name) => (
                  <Kbd key={name}>{name}</Kbd>
                ))}
              </dt>
              <dd className="text-muted">{meaning}</dd>
            </div>
          ))}
        </dl>
      </dialog>
    </>
  )
}

/** Every page of the sidebar, and those beside them as tabs. */
const pagesFor = (role: Role) =>
  placesFor(role).flatMap(({ places }) =>
    places.flatMap(
      ({ tabs, ...place }) => tabs?.filter(({ permission }) => may(role, permission)) ?? [place],
    ),
  )

/** Focuses the search of the page, if it has one that can be seen. */
function focusSearch(): boolean {
  for (const field of document.querySelectorAll<HTMLInputElement>('[data-search]')) {
    if (!field.checkVisibility()) continue
    field.focus()
    field.select()
    return true
  }
  return false
}

const keys: readonly (readonly [readonly string[], string])[] = [
  [['Ctrl', 'K'], 'Find anything, go anywhere, do something (⌘ K)'],
  [['/'], 'The search of this page, or the same'],
  [['Ctrl', 'V'], 'With nothing focused: search for what is pasted (⌘ V)'],
  [['j', 'k'], 'Next row, row before; beside what is open, they open it'],
  [['Enter'], 'Open the row'],
  [['→', '←'], 'What else can be done with the row, and back'],
  [['Esc'], 'Close what is open; in a search, empty it, then leave it'],
  [['?'], 'This list'],
]
