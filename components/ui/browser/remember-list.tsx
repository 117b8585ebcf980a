'use client'

import { useEffect } from 'react'
import { rememberList } from './last-list.ts'

/** Stands in a list of transactions, so that each leads to the one before and after it there. */
export function RememberList({ uuids }: { readonly uuids: readonly string[] }) {
  useEffect(() => rememberList(uuids), [uuids])
  return null
}
