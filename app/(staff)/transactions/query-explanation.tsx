'use client'

import type { FoundLine } from '#lib/search/find-lines.ts'
import type { Found } from '#lib/search/found.ts'
import type { Search } from './use-found-subjects.ts'

/** How the search box understood what stands in it, and how much of that was found. */
export function QueryExplanation({ search, opens }: { readonly search: Search; readonly opens: boolean }) {
  const { state, found, explanation } = search
  if (state === 'nothing-to-look-for') return <span className="text-muted">{explanation}</span>
  if (state === 'failed') return <span className="text-fail">{explanation}, but the search failed</span>
  if (state === 'looking' || !found)
    return <span className="text-muted">{explanation === '' ? 'Looking…' : `${explanation} · looking…`}</span>
  if (found.lines) return <span className="text-done">{linesText(explanation, found.lines)}</span>
  const count = found.named.length + found.rows.length
  const beside = [
    ...countText(found.people.length, 'person', 'people'),
    ...countText(found.endpoints.length, 'endpoint', 'endpoints'),
  ]
  if (count === 0 && beside.length > 0)
    return (
      <span className="text-done">
        {explanation} · {beside.join(', ')}
      </span>
    )
  if (count === 0) return <span className="text-held">{explanation} · nothing found</span>
  return (
    <span className="text-done">
      {explanation} · {howMany(found, count)} {count === 1 ? 'match' : 'matches'}
      {opens && ', press ↵'}
    </span>
  )
}

/** "one person", "3 endpoints"; nothing of none. */
const countText = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [count === 1 ? `one ${one}` : `${count} ${many}`]

/** "40 lines · 38 found". */
function linesText(explanation: string, lines: readonly FoundLine[]): string {
  const found = lines.filter(({ subject, person }) => subject ?? person)
  return `${explanation} · ${found.length === lines.length ? 'all' : found.length} found`
}

function howMany({ total, next, cut }: Found, count: number): string {
  if (total)
    return `${total.exact ? '' : total.atLeast ? 'at least ' : 'more than '}${new Intl.NumberFormat('en').format(total.count)}`
  return next || cut ? `more than ${count}` : String(count)
}
