'use client'

import { useEffect, useRef } from 'react'

/** False once this panel has gone, such as for another account. */
export function useIsMounted() {
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}
