'use client'

import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react'
import { useWords } from './browser/words.tsx'
import { chooseZone, currentZone, localZone, parseZone, subscribeToZone } from './clock.ts'

const RenderedZone = createContext('UTC')

/**
 * The context carries the zone in which the server rendered times. `kept` is null on a first visit; then, and when
 * this browser does not know the zone, the browser's zone is used.
 */
export function TimeZone({ kept, children }: { readonly kept: string | null; readonly children: ReactNode }) {
  useEffect(() => {
    if (!kept || !parseZone(kept)) chooseZone(localZone())
  }, [kept])
  return <RenderedZone value={kept ?? 'UTC'}>{children}</RenderedZone>
}

/** The hook gives the IANA zone for times. On the server and during hydration it is the one of the server. */
export function useZone(): string {
  const rendered = useContext(RenderedZone)
  return useSyncExternalStore(
    subscribeToZone,
    () => currentZone(rendered),
    () => rendered,
  )
}

/** The note says once per page what its times are. */
export function TimesNote() {
  return useWords()('ui.timesNote', { zone: useZone().replaceAll('_', ' ') })
}
