'use client'

import { useEffect } from 'react'
import { endDrafts } from './end-drafts.ts'

/** On the page that somebody reaches whose session was ended: a tab that slept meanwhile has its drafts still. */
export function EndDraftsHere() {
  useEffect(endDrafts, [])
  return null
}
