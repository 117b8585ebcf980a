import type { PaletteSearch } from './use-palette-search.ts'

/** What the palette says of the search for what stands in it. */
export function paletteStatus(text: string, { state, found, explanation }: PaletteSearch): string {
  if (text.trim() === '')
    return '↑ ↓ choose · ↵ opens · what is pasted in several lines is answered line by line'
  if (state === 'nothing-to-look-for') return explanation
  if (state === 'looking') return `${explanation} · looking…`
  if (state === 'failed' || !found) return `${explanation} · the search failed`
  if (found.lines) {
    const answered = found.lines.filter(({ subject, person }) => subject ?? person)
    return `${explanation} · ${answered.length} found, ↵ shows each`
  }
  const none = found.named.length + found.rows.length + found.people.length + found.endpoints.length === 0
  return `${explanation} · ${none ? 'nothing found' : countText(found)}`
}

type Found = NonNullable<PaletteSearch['found']>

function countText({ named, rows, next, cut, total }: Found): string {
  const shown = named.length + rows.length
  if (total)
    return `${total.exact ? '' : 'more than '}${new Intl.NumberFormat('en').format(total.count)} matches`
  if (next || cut) return `more than ${shown} matches`
  return shown === 1 ? '1 match' : `${shown} matches`
}
