'use client'

import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react'
import { useWords } from '../browser/words.tsx'
import { chooseZone, currentZone, localZone, parseZone, subscribeToZone } from './clock.ts'

const RenderedZone = createContext('UTC')

/**
 * Carries the zone that the server rendered times in. `kept` is null on a first visit; then, and where this browser does
 * not know it, the browser's zone is used.
 */
export function TimeZone({ kept, children }: { readonly kept: string | null; readonly children: ReactNode }) {
  useEffect(() => {
    if (!kept || !parseZone(kept)) chooseZone(localZone())
  }, [kept])
  return <RenderedZone value={kept ?? 'UTC'}>{children}</RenderedZone>
}

/** The IANA zone to show times in: on the server and while the page wakes up the one it was rendered in. */
export function useZone(): string {
  const rendered = useContext(RenderedZone)
  return useSyncExternalStore(
    subscribeToZone,
    () => currentZone(rendered),
    () => rendered,
  )
}

/** Says once per page what its times are: of what was received, or, for staff, of what was done here. */
export function TimesNote({ received = true }: { readonly received?: boolean }) {
  const words = useWords()
  const zone = useZone().replaceAll('_', ' ')
  return received ? words('ui.timesNote', { zone }) : `Times are in ${zone}.`
}
