'use client'

import { type ComponentType, useEffect, useState } from 'react'

/** Milliseconds after which what could not be fetched is asked for again. */
const againAfter = 5_000

/**
 * A component that nobody needs before the first click, fetched once the page is there; null until then.
 * @param load stays the same
 */
export function useLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> | null {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
  useEffect(() => {
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
  }, [load])
  return Loaded
}
