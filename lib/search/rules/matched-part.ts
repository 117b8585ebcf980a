import type { Probe } from './probes.ts'

/** The part of a value by which it was found: `from` the first character, `to` the one after the last. */
export interface MatchedPart {
  readonly from: number
  readonly to: number
}

/** The parts of a value that a search named, in their order; none where the search named something else. */
export function matchedParts(value: string, probes: readonly Probe[]): readonly MatchedPart[] {
  const fitting = probes.filter(({ prefix, suffix, exact }) =>
    exact ? value === prefix : value.startsWith(prefix ?? '') && value.endsWith(suffix ?? ''),
  )
  const [longest] = fitting.toSorted((one, other) => lengthOf(other) - lengthOf(one))
  if (!longest) return []
  const { prefix, suffix } = longest
  const head = { from: 0, to: prefix?.length ?? 0 }
  const tail = { from: value.length - (suffix?.length ?? 0), to: value.length }
  if (head.to >= tail.from) return [{ from: 0, to: value.length }]
  return [head, tail].filter(({ from, to }) => to > from)
}

const lengthOf = ({ prefix, suffix, exact }: Probe) =>
  exact ? Number.POSITIVE_INFINITY : (prefix?.length ?? 0) + (suffix?.length ?? 0)
