import { Segmented } from '#components/ui/segmented.tsx'
import { lookLabels } from '#lib/operations/labels/look-labels.ts'
import type { Looks } from '#lib/operations/overview/read-looks.ts'
import type { LookKind } from '#lib/operations/rules/look-kinds.ts'

/** The address of the overview with one kind alone, with all, or with what is muted. */
export type LookAddress = (look: LookKind | 'muted' | null) => string

/** How many there are of each kind; the choice stands in the address. */
export function LookFilter({
  kinds,
  chosen,
  hrefOf,
}: {
  readonly kinds: Looks['kinds']
  readonly chosen: LookKind | null
  readonly hrefOf: LookAddress
}) {
  if (kinds.length === 0 && chosen === null) return null
  return (
    <Segmented
      name="What needs a look"
      segments={[
        { key: 'everything', label: 'Everything', href: hrefOf(null), chosen: chosen === null },
        ...kinds.map(({ kind, total }) => ({
          key: kind,
          label: lookLabels[kind].many,
          count: `${total.count.toLocaleString('en')}${total.exact ? '' : '+'}`,
          href: hrefOf(kind),
          chosen: chosen === kind,
        })),
      ]}
    />
  )
}
