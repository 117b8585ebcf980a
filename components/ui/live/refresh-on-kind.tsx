'use client'

import { useEffect } from 'react'
import { type SubjectKind, subjectId } from '#lib/deliveries/rules/subject.ts'
import { useFeed } from './live.tsx'
import { useRefresh } from './refresh.tsx'

/** Further changes wait for this many milliseconds, so that a busy hour renders the page once in that time. */
const gatherFor = 500

/**
 * The page's server part is rendered again when anything of this kind changed or is new, since no page knows the
 * ids of new ones.
 */
export function RefreshOnKind({ kind }: { readonly kind: SubjectKind }) {
  const feed = useFeed()
  const refresh = useRefresh()
  useEffect(() => {
    const prefix = subjectId({ kind, id: '' })
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = feed.onChange((changed) => {
      if (changed !== 'anything' && !changed.some((id) => id.startsWith(prefix))) return undefined
      timer ??= setTimeout(() => {
        timer = undefined
        refresh()
      }, gatherFor)
      return undefined
    })
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [feed, kind, refresh])
  return null
}
