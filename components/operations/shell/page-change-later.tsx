'use client'

import { useLater } from '#components/ui/browser/loaded-later.ts'
import type { PageChangeProps } from './page-change.tsx'

/** `PageChange` loads once the page is there. */
export function PageChangeLater(props: PageChangeProps) {
  const Whole = useLater(load)
  return Whole && <Whole {...props} />
}

const load = async () => (await import('./page-change.tsx')).PageChange
