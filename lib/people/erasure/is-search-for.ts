import 'server-only'
import { toTerm } from '#lib/identity/users/person-texts.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { readQuery } from '#lib/search/rules/read-query.ts'
import type { RunningErasure } from './erasure-store.ts'

/** A shorter part matches too many people to name one. */
const shortest = 6

/**
 * A searched text names this person when any of its lines, cleaned as for a search, holds one of their values, or
 * is a part that finds one. It matches too much rather than too little: anybody can repeat a search whose old link
 * is gone.
 */
export const isSearchFor = (text: string, erasure: Pick<RunningErasure, 'values' | 'terms'>): boolean =>
  [text, ...text.split(/[\r\n]+/)].some((line) => isLineFor(cleanText(line), erasure))

function isLineFor(text: CleanText, { values, terms }: Pick<RunningErasure, 'values' | 'terms'>): boolean {
  const compact = text.toLowerCase().replace(/\s+/g, '')
  const letters = lettersOf(compact)
  const { probes, name } = readQuery(text)
  const parts = [{ prefix: compact, suffix: null }, { prefix: null, suffix: compact }, ...probes].filter(
    ({ prefix, suffix }) => (prefix ?? '').length + (suffix ?? '').length >= shortest,
  )
  const said = [toTerm(text), toTerm(name ?? '')].filter((term) => term !== '')
  return (
    [...values].some(
      (value) =>
        compact.includes(value) ||
        (!value.includes('@') && letters.includes(lettersOf(value))) ||
        parts.some(({ prefix, suffix }) => value.startsWith(prefix ?? '') && value.endsWith(suffix ?? '')),
    ) ||
    terms.some((one) =>
      said.some((term) => one === term || (term.length >= shortest && one.startsWith(term))),
    )
  )
}

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
