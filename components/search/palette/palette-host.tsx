'use client'

import { Search } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react'
import { buttonClass } from '#components/ui/button.tsx'
import { openPage } from '#components/ui/form/leave-guard.ts'
import { Kbd } from '#components/ui/kbd.tsx'
import type { Role } from '#lib/access/rules/roles.ts'
import type { PalettePage, PaletteProps } from './palette.tsx'
import { isPaletteOpen, setPaletteOpen, subscribeToPalette } from './palette-state.ts'
import { keepRecent } from './recent-places.ts'

/** The palette loads when it is first opened, or about to be. */
const loadPalette = () => import('./palette.tsx')

/** The host draws the palette over any page while it is open, and remembers what was opened. */
export function PaletteHost({
  role,
  person,
  pages,
}: {
  readonly role: Role
  readonly person: string
  readonly pages: readonly PalettePage[]
}) {
  const open = useSyncExternalStore(subscribeToPalette, isPaletteOpen, () => false)
  const [Palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null)
  const path = usePathname()
  useEffect(() => keepRecent(person, path), [person, path])
  useEffect(() => {
    if (!open || Palette) return
    loadPalette().then(
      (loaded) => setPalette(() => loaded.Palette),
      // A missing network or an upgrade may keep the palette from loading: the search of the list does the same.
      () => {
        setPaletteOpen(false)
        openPage('/transactions', () => location.assign('/transactions'), false)
      },
    )
  }, [open, Palette])
  return open && Palette ? (
    <Palette role={role} person={person} pages={pages} path={path} onClose={() => setPaletteOpen(false)} />
  ) : null
}

/** The button opens the palette from any page. */
export function PaletteTrigger({
  compact = false,
}: {
  /** `compact` shows only an icon, in the header of a page without room for the sidebar. */
  readonly compact?: boolean
}) {
  const apple = useSyncExternalStore(never, isApple, () => false)
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onPointerEnter={() => void loadPalette()}
      onFocus={() => void loadPalette()}
      onClick={() => setPaletteOpen(true)}
      {...(compact ? { 'aria-label': findAnything } : {})}
      className={
        compact
          ? `${buttonClass({ variant: 'ghost', size: 'lg', square: true })} lg:hidden`
          : 'flex min-h-8.5 w-full flex-wrap items-center gap-2 rounded-lg border border-line-control bg-surface py-1 pr-2.5 pl-2.5 text-left text-muted text-sm hover:bg-hover pointer-coarse:min-h-10'
      }
    >
      <Search className="size-4 text-faint" aria-hidden />
      {!compact && (
        <>
          <span className="min-w-0 flex-1 basis-20">{findAnything}</span>
          <span className="ml-auto pointer-coarse:hidden" aria-hidden>
            <Kbd>{apple ? '⌘K' : 'Ctrl K'}</Kbd>
          </span>
        </>
      )}
    </button>
  )
}

const findAnything = 'Find anything'

/** Keyboards of these devices have a ⌘ key. */
const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform)
const never = () => () => {}
