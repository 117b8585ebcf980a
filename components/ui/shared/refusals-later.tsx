'use client'

import { type ComponentProps, Suspense } from 'react'
import { loadLater } from '../browser/loaded-later.ts'
import type { NoAccess as WholeNoAccess } from './no-access.tsx'
import type { NoSuchPage as WholeNoSuchPage } from './no-such-page.tsx'

// Next gives both to every page. Only a refused page, or an address without a page, fetches their content. They are
// in one file, so that a page loads one script for both.

const { Later: NoAccess } = loadLater(async () => (await import('./no-access.tsx')).NoAccess)
const { Later: NoSuchPage } = loadLater(async () => (await import('./no-such-page.tsx')).NoSuchPage)

export const NoAccessLater = (props: ComponentProps<typeof WholeNoAccess>) => (
  <Suspense>
    <NoAccess {...props} />
  </Suspense>
)

export const NoSuchPageLater = (props: ComponentProps<typeof WholeNoSuchPage>) => (
  <Suspense>
    <NoSuchPage {...props} />
  </Suspense>
)
