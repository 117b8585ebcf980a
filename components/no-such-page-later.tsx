'use client'

import { type ComponentProps, Suspense } from 'react'
import { loadLater } from './browser/load-later.ts'
import type { NoSuchPage as Whole } from './no-such-page.tsx'

const { Later: NoSuchPage } = loadLater(async () => (await import('./no-such-page.tsx')).NoSuchPage)

/** As with `NoAccessLater`: every page is handed it, and only an address without a page fetches what it says. */
export const NoSuchPageLater = (props: ComponentProps<typeof Whole>) => (
  <Suspense>
    <NoSuchPage {...props} />
  </Suspense>
)
