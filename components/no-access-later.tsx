'use client'

import { type ComponentProps, Suspense } from 'react'
import { loadLater } from './browser/load-later.ts'
import type { NoAccess as Whole } from './no-access.tsx'

const { Later: NoAccess } = loadLater(async () => (await import('./no-access.tsx')).NoAccess)

/** Next hands it to every page beside the page itself, so only a page that is refused fetches what it says. */
export const NoAccessLater = (props: ComponentProps<typeof Whole>) => (
  <Suspense>
    <NoAccess {...props} />
  </Suspense>
)
