'use client'

import { type RefCallback, useCallback, useState } from 'react'

/**
 * The element's place is in the window or further down, so the reader has not passed it. False until the browser
 * has drawn the page.
 */
export function useInSight(): [ref: RefCallback<Element>, isInSight: boolean] {
  const [isInSight, setInSight] = useState(false)
  const ref = useCallback((element: Element) => {
    const observer = new IntersectionObserver((entries) => {
      const entry = entries.at(-1)
      if (entry) setInSight(entry.isIntersecting || entry.boundingClientRect.top > 0)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, isInSight]
}
