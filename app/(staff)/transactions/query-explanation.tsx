'use client'

import { foundCount, linesFoundCount } from '#components/search/found-count.ts'
import type { Search } from './use-found-subjects.ts'

/** The line says how the search box understood its text, and how many matches there are. */
export function QueryExplanation({ search, opens }: { readonly search: Search; readonly opens: boolean }) {
  const { state, found, explanation } = search
  if (state === 'nothing-to-look-for') return <span className="text-muted">{explanation}</span>
  if (state === 'failed') return <span className="text-fail">{explanation}, but the search failed</span>
  if (state === 'looking' || !found)
    return <span className="text-muted">{explanation === '' ? 'Looking…' : `${explanation} · looking…`}</span>
  if (found.lines)
    return (
      <span className="text-done">
        {explanation} · {linesFoundCount(found.lines)}
      </span>
    )
  const { named, rows, people, endpoints } = found
  const none = [named, rows, people, endpoints].every(({ length }) => length === 0)
  return (
    <span className={none ? 'text-held' : 'text-done'}>
      {explanation} · {foundCount(found)}
      {opens && ', press Enter'}
    </span>
  )
}
