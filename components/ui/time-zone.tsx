'use client'

import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react'
import { useWords } from './browser/words.tsx'
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

/** Says once per page what its times are. */
export function TimesNote() {
  return useWords()('ui.timesNote', { zone: useZone().replaceAll('_', ' ') })
}
