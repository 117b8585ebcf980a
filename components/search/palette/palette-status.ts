import { foundCount, linesFoundCount } from '../found-count.ts'
import type { PaletteSearch } from './use-palette-search.ts'

/** What the palette says of the search for what stands in it. */
export function paletteStatus(text: string, { state, found, explanation, failure }: PaletteSearch): string {
  if (text.trim() === '')
    return '↑ ↓ choose · ↵ opens · what is pasted in several lines is answered line by line'
  if (state === 'nothing-to-look-for') return explanation
  if (state === 'looking') return `${explanation} · looking…`
  if (state === 'failed' || !found) return `${explanation} · the search failed. ${failure ?? ''}`
  if (found.lines) return `${explanation} · ${linesFoundCount(found.lines)}, ↵ shows each`
  return `${explanation} · ${foundCount(found)}`
}
