'use client'

import { usePathname } from 'next/navigation'
import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react'
import { openPage } from '#components/ui/form/open-page.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import type { PalettePage, PaletteProps } from './palette.tsx'
import { isPaletteOpen, setPaletteOpen, subscribeToPalette } from './palette-state.ts'
import { keepRecent } from './recent-places.ts'

/** The palette is loaded when it is first opened, or about to be. */
export const loadPalette = () => import('./palette.tsx')

/** Draws the palette over any page while it is open, and remembers what was opened. */
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
      // Without a network, or after an upgrade: the search of the list does the same.
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
