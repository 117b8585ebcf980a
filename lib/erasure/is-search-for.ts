import 'server-only'
import { readQuery } from '#lib/domain/search/read-query.ts'
import { toTerm } from '#lib/users/person-terms.ts'
import type { RunningErasure } from './erasure-store.ts'

/** Shorter parts tell of too many people to be anybody's. */
const shortest = 6

/**
 * Whether a text that was searched for tells of this person: it holds one of their values, or is a part by which one is
 * found, in any of its lines. Rather too many than too few: whoever opens an old link can search anew.
 */
export function isSearchFor(text: string, erasure: Pick<RunningErasure, 'values' | 'terms'>): boolean {
  const lines = text.split(/[\r\n]+/)
  return lines.length > 1 ? lines.some((line) => isLineFor(line, erasure)) : isLineFor(text, erasure)
}

function isLineFor(text: string, { values, terms }: Pick<RunningErasure, 'values' | 'terms'>): boolean {
  const compact = text.toLowerCase().replace(/\s+/g, '')
  const { probes } = readQuery(text)
  const parts = [{ prefix: compact, suffix: null }, { prefix: null, suffix: compact }, ...probes].filter(
    ({ prefix, suffix }) => (prefix ?? '').length + (suffix ?? '').length >= shortest,
  )
  const term = toTerm(text)
  return (
    [...values].some(
      (value) =>
        compact.includes(value) ||
        parts.some(({ prefix, suffix }) => value.startsWith(prefix ?? '') && value.endsWith(suffix ?? '')),
    ) || terms.some((one) => one === term || (term.length >= shortest && one.startsWith(term)))
  )
}
