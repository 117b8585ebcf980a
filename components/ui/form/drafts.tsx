'use client'

import { createContext, type ReactNode, useEffect } from 'react'
import { beforeSignIn, endDrafts, removeDrafts } from './draft-store.ts'
import { onSignOutElsewhere } from './tab-channel.ts'

/** Drafts are kept for the tags of the person who is signed in; null when nothing is kept. */
export const DraftsOf = createContext<string | null>(null)

/** The pages of one person keep the drafts of that person in this tab, and nobody else’s. */
export function Drafts({ person, children }: { readonly person: string; readonly children: ReactNode }) {
  useEffect(() => {
    removeDrafts(person.split(' '))
    return onSignOutElsewhere(() => removeDrafts([beforeSignIn]))
  }, [person])
  return <DraftsOf value={person}>{children}</DraftsOf>
}

/**
 * The pages before a sign-in have their own drafts, which the sign-in ends. They delete nobody’s: a person whose
 * session timed out comes back and goes on.
 */
export const DraftsBeforeSignIn = ({ children }: { readonly children: ReactNode }) => (
  <DraftsOf value={beforeSignIn}>{children}</DraftsOf>
)

/**
 * A person whose session was ended reaches this page. A tab that slept meanwhile may still have its drafts, which
 * are deleted here.
 */
export function EndDraftsHere() {
  useEffect(endDrafts, [])
  return null
}
