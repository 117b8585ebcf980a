'use client'

import { type ComponentType, useEffect, useState } from 'react'

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
