/** A probe finds ids that begin with `prefix` and end with `suffix`; `exact` means equal to `prefix`. */
export interface Probe {
  readonly prefix: string | null
  readonly suffix: string | null
  readonly exact: boolean
}

export const exactly = (value: string): Probe => ({ prefix: value, suffix: null, exact: true })

/** The probes also add dashes to a uuid that was typed without, and a missing `0x`. */
export function beginning(part: string): Probe[] {
  const probes: Probe[] = [{ prefix: part, suffix: null, exact: false }]
  if (!hexOnly.test(part)) return probes
  probes.push({ prefix: `0x${part}`, suffix: null, exact: false })
  if (part.length > 8 && part.length <= 32) {
    probes.push({ prefix: dashed(part), suffix: null, exact: false })
  }
  return probes
}

/** The probes also add dashes to a uuid that was typed without. */
export function ending(part: string): Probe[] {
  const probes: Probe[] = [{ prefix: null, suffix: part, exact: false }]
  if (hexOnly.test(part) && part.length > 12 && part.length < 32) {
    const filled = dashed(part.padStart(32, '0'))
    const suffix = filled.slice(filled.length - part.length - dashesInLast(part.length))
    probes.push({ prefix: null, suffix, exact: false })
  }
  return probes
}

/** The probes also leave out the `0x`, as some senders do. */
export const alsoBare = (probes: readonly Probe[]): Probe[] =>
  probes.flatMap((probe) =>
    probe.prefix?.startsWith('0x') && hexOnly.test(probe.prefix.slice(2))
      ? [probe, { ...probe, prefix: probe.prefix.slice(2) }]
      : probe,
  )

export const hexOnly = /^[0-9a-f]+$/

/** Up to 32 hexadecimal digits get the dashes of a uuid. */
export const dashed = (hex: string) =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    .filter((group) => group !== '')
    .join('-')

/** The last `digits` digits of a uuid contain this many dashes. */
const dashesInLast = (digits: number) => [12, 16, 20, 24].filter((place) => digits > place).length

/** The value was found by this part: `from` is the first character, `to` the one after the last. */
export interface MatchedPart {
  readonly from: number
  readonly to: number
}

/** The parts of a value that a search named are in order; there are none when the search named something else. */
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
