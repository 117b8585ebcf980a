'use client'

import { type ComponentType, lazy, useEffect, useState } from 'react'

/**
 * The component is no part of the page's scripts. `Later` is fetched when it is drawn, inside a `Suspense`.
 * `prepare` fetches it earlier, so that nobody waits; if that fails, drawing it fails again and shows the error.
 */
export function loadLater<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return {
    Later: lazy(async () => ({ default: await load() })),
    prepare: () => void load().catch(leaveToDrawing),
  }
}

const leaveToDrawing = () => undefined

/** A script that could not be fetched is asked for again after this many milliseconds. */
const againAfter = 5_000

/**
 * The component is no part of the page's scripts. It is fetched once the page is there and it is `wanted`; null
 * until then. A failed fetch is repeated. `load` must stay the same.
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
 * A part of the page that loads later did not arrive: its script is gone with the version of the page, or there is
 * no network.
 */
export const isScriptGone = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ChunkLoadError'
