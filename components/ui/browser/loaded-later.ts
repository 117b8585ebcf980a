'use client'

import { type ComponentType, lazy, useEffect, useState } from 'react'

/**
 * A component that is no part of the page's scripts. `Later` is fetched when it is drawn, inside a `Suspense`; `prepare` fetches
 * it before, so that nobody waits: what fails then fails again, and is shown, when it is drawn.
 */
export function loadLater<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return {
    Later: lazy(async () => ({ default: await load() })),
    prepare: () => void load().catch(leaveToDrawing),
  }
}

const leaveToDrawing = () => undefined

/** Milliseconds after which what could not be fetched is asked for again. */
const againAfter = 5_000

/**
 * A component that is no part of the page's scripts, fetched once the page is there and it is `wanted`; null until then. What
 * cannot be fetched is asked for again.
 * @param load stays the same
 */
export function useLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  wanted = true,
): ComponentType<Props> | null {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
  useEffect(() => {
    if (!wanted) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const fetchIt = () =>
      void load().then(
        (loaded) => setLoaded(() => loaded),
        () => {
          timer = setTimeout(fetchIt, againAfter)
        },
      )
    if (document.readyState === 'complete') fetchIt()
    else window.addEventListener('load', fetchIt)
    return () => {
      window.removeEventListener('load', fetchIt)
      clearTimeout(timer)
    }
  }, [load, wanted])
  return Loaded
}

/**
 * Whether a part of the page that is loaded only later did not come: its script has gone with the version that the page is of,
 * or there is no network to bring it.
 */
export const isScriptGone = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ChunkLoadError'
