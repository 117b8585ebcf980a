import { chainLabel, reasonLabel } from '#lib/transactions/labels/step-labels.ts'
import {
  type FilterFlag,
  type FilterPart,
  type FilterTexts,
  flagsIn,
  type TimePreset,
} from '#lib/transactions/rules/transaction-filters.ts'
import { exportFileName } from '#lib/words/labels/formats.ts'

export const filterLabels = {
  direction: 'Direction',
  step: 'Status',
  reason: 'Reason',
  currency: 'Currency',
  chain: 'Chain',
  amount: 'Amount',
  time: 'Created',
  user: 'Person',
} as const satisfies Record<Exclude<FilterPart, `flags:${FilterFlag}`>, string>

export const presetLabels = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
} as const satisfies Record<TimePreset, string>

/** A reason is shown without its step: "KYC". An unknown one is shown as it came. */
export const filterReasonLabel = (reason: string): string => {
  const label = reasonLabel('ON_HOLD', reason) ?? reason
  return label.charAt(0).toUpperCase() + label.slice(1)
}

export const filterChainLabel = (chain: string): string => chainLabel(chain.toLowerCase())

/** The range reads "100 to 500", "from 100", "up to 500". */
export function rangeLabel(from: string | null, to: string | null): string {
  if (from !== null && to !== null) return `${from} to ${to}`
  return from === null ? `up to ${to}` : `from ${from}`
}

/**
 * The name of the file says its filters and its time, in characters that every system takes:
 * `transactions-on-hold-eur-20261122T1830Z`. For a search or a person it says only that there was one.
 */
export function filterFileName(texts: FilterTexts, searched: boolean, now: number): string {
  const { direction, step, reason, currency, chain, min, max, since, from, to, user, flags } = texts
  const said = [
    searched && 'found',
    user && 'one-person',
    direction,
    step,
    reason,
    currency,
    chain,
    (min || max) && `amount-${rangeLabel(min ?? null, max ?? null)}`,
    since && `last-${since}`,
    (from || to) && `started-${rangeLabel(from ?? null, to ?? null)}`,
    ...flagsIn(flags),
  ]
  return exportFileName('transactions', said, now)
}
