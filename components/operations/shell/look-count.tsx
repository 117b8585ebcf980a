'use client'

import { useLiveStatus } from '#components/ui/live/live.tsx'
import { lookCountLimit } from '#lib/operations/rules/health.ts'
import type { Look } from './places.ts'

/** How many things of a place need a look; nothing while none does. */
export function LookCount({ look }: { readonly look: Look }) {
  const count = useLiveStatus()?.counts[look.count] ?? 0
  if (count === 0) return null
  const shown = count >= lookCountLimit ? `${lookCountLimit - 1}+` : String(count)
  return (
    <span className="num ml-auto shrink-0 rounded-md bg-held-bg px-1.5 font-strong text-2xs text-held leading-[1.6]">
      {shown}
      <span className="sr-only"> {look.words[count === 1 ? 0 : 1]}</span>
    </span>
  )
}
