'use client'

import type { ComponentProps } from 'react'
import { useLater } from '../browser/use-later.ts'
import type { PageChange } from './page-change.tsx'

/** `PageChange`, fetched once the page is there. */
export function PageChangeLater(props: ComponentProps<typeof PageChange>) {
  const Whole = useLater(load)
  return Whole && <Whole {...props} />
}

const load = async () => (await import('./page-change.tsx')).PageChange
