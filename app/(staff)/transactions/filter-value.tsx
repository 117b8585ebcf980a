'use client'

import { FilterTokens } from '#components/ui/list/filter-bar.tsx'
import { Time, useZone } from '#components/ui/time.tsx'
import { offsetLabel } from '#components/ui/zoned-input.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { filterFlagLabels } from '#lib/search/labels/filter-flag-labels.ts'
import {
  filterChainLabel,
  filterLabels,
  filterReasonLabel,
  presetLabels,
  rangeLabel,
} from '#lib/search/labels/filter-labels.ts'
import { directionLabels, stepLabel } from '#lib/transactions/labels/step-labels.ts'
import {
  type FilterFlag,
  type FilterPart,
  type FilterTexts,
  noFilters,
  textPartsOf,
  timePresets,
} from '#lib/transactions/rules/transaction-filters.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { moreFiltersId } from './more-filters-button.tsx'

/** Each active filter has a button that removes it. */
export function HeldFilters({
  texts,
  person,
  onChange,
}: {
  readonly texts: FilterTexts
  readonly person: string | null
  readonly onChange: (texts: FilterTexts) => void
}) {
  const change = (rest: FilterTexts) => {
    onChange(rest)
    // The pressed button is gone, so the focus moves.
    document.getElementById(moreFiltersId)?.focus()
  }
  return (
    <FilterTokens
      onClear={() => change(noFilters)}
      tokens={textPartsOf(texts).map(({ part, rest }) => ({
        key: part,
        text: <FilterValue part={part} texts={texts} person={person} />,
        onRemove: () => change(rest),
      }))}
    />
  )
}

/** The text is "Status: On hold": one active filter in words. */
export function FilterValue({
  part,
  texts,
  person,
}: {
  readonly part: FilterPart
  readonly texts: FilterTexts
  /** `person` names the person of the filter; null when only the id is known. */
  readonly person: string | null
}) {
  const flag = flagOf(part)
  if (flag !== null) return <b className="font-title">{filterFlagLabels[flag]}</b>
  return (
    <>
      {filterLabels[part as keyof typeof filterLabels]}:{' '}
      <b className="font-title wrap-anywhere">
        {part === 'time' ? <Started texts={texts} /> : textOf(part, texts, person)}
      </b>
    </>
  )
}

function textOf(part: FilterPart, texts: FilterTexts, person: string | null): string {
  const { direction, step, reason, currency, chain, min, max, user } = texts
  const known = directions.find((each) => each === direction) ?? null
  switch (part) {
    case 'direction':
      return known ? directionLabels[known] : (direction ?? '')
    case 'step':
      return stepLabel(known, step ?? null).label
    case 'reason':
      return filterReasonLabel(reason ?? '')
    case 'currency':
      return (currency ?? '').toUpperCase()
    case 'chain':
      return filterChainLabel(chain ?? '')
    case 'amount':
      return rangeLabel(min ?? null, max ?? null)
    case 'user':
      return person ?? shortId(user ?? '')
    default:
      return ''
  }
}

function Started({ texts: { since, from, to } }: { readonly texts: FilterTexts }) {
  const zone = useZone()
  const preset = Object.keys(timePresets).find((each): each is keyof typeof presetLabels => each === since)
  return (
    <>
      {preset ? presetLabels[preset].toLowerCase() : since}
      {from && (
        <>
          {since && ', '}from <Time at={from} style="minute" /> {offsetLabel(from, zone)}
        </>
      )}
      {to && (
        <>
          {(since || from) && ' '}before <Time at={to} style="minute" /> {offsetLabel(to, zone)}
        </>
      )}
    </>
  )
}

function flagOf(part: FilterPart): FilterFlag | null {
  const flag = part.startsWith('flags:') ? part.slice('flags:'.length) : null
  return Object.keys(filterFlagLabels).find((each): each is FilterFlag => each === flag) ?? null
}
