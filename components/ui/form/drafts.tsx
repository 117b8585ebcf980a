'use client'

import { createContext, type ReactNode, useEffect } from 'react'
import { beforeSignIn, endDrafts, removeDrafts } from './draft-store.ts'
import { onSignOutElsewhere } from './tab-channel.ts'

/** Whose drafts are kept: the tags of the person who is signed in; null where nothing is kept. */
export const DraftsOf = createContext<string | null>(null)

/** The pages of one person, whose drafts are kept in this tab and nobody else’s. */
export function Drafts({ person, children }: { readonly person: string; readonly children: ReactNode }) {
  useEffect(() => {
    removeDrafts(person.split(' '))
    return onSignOutElsewhere(() => removeDrafts([beforeSignIn]))
  }, [person])
  return <DraftsOf value={person}>{children}</DraftsOf>
}

/** Pages before a sign-in, which ends their drafts. They end nobody’s: whoever’s session ran out comes back and goes on. */
export const DraftsBeforeSignIn = ({ children }: { readonly children: ReactNode }) => (
  <DraftsOf value={beforeSignIn}>{children}</DraftsOf>
)

/** On the page that somebody reaches whose session was ended: a tab that slept meanwhile has its drafts still. */
export function EndDraftsHere() {
  useEffect(endDrafts, [])
  return null
}
