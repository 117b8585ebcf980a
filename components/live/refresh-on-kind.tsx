'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useEffectEvent, useTransition } from 'react'
import { type SubjectKind, subjectId } from '#lib/domain/delivery/subject.ts'
import { isLocked } from '../session/session-clock.ts'
import { useFeed } from './live.tsx'

/** Milliseconds in which further changes wait, so that a busy hour renders the page once in that time. */
const gatherFor = 500

/** Renders the page's server part again when anything of this kind has changed or is new: of those, no page knows the ids. */
export function RefreshOnKind({ kind }: { readonly kind: SubjectKind }) {
  const router = useRouter()
  const feed = useFeed()
  const [, startTransition] = useTransition()
  const refresh = useEffectEvent(() => {
    if (!isLocked()) startTransition(() => router.refresh())
  })
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
  }, [feed, kind])
  return null
}
