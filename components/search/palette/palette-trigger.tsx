'use client'

import { Search } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { buttonClass } from '#components/ui/button-class.ts'
import { Kbd } from '#components/ui/kbd.tsx'
import { loadPalette } from './palette-host.tsx'
import { setPaletteOpen } from './palette-state.ts'

/** Opens the palette, from any page. */
export function PaletteTrigger({
  compact = false,
}: {
  /** An icon alone, in the header of a page that is too narrow for the sidebar. */
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

/** Whose keyboards have a ⌘ key. */
const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform)
const never = () => () => {}
