'use client'

import { useSyncExternalStore } from 'react'

const query = '(hover: none) and (pointer: coarse)'

/** Whether this is used by touch alone, so that wallets are other apps of the same device. False on the server. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  )
}

function subscribe(onChange: () => void): () => void {
  const media = window.matchMedia(query)
  media.addEventListener('change', onChange)
  return () => media.removeEventListener('change', onChange)
}
