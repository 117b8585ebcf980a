import { LookCount } from '#components/operations/shell/look-count.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import type { LookCounts } from '#lib/operations/rules/health.ts'

/** All of a list, or what the navigation counts of it, with that count. */
export function LookSegments({
  name,
  all,
  look,
}: {
  readonly name: string
  readonly all: { readonly label: string; readonly href: string }
  readonly look: {
    readonly label: string
    readonly href: string
    readonly count: keyof LookCounts
    readonly chosen: boolean
  }
}) {
  return (
    <Segmented
      name={name}
      segments={[
        { key: 'all', ...all, chosen: !look.chosen },
        {
          key: 'look',
          label: look.label,
          count: <LookCount look={{ count: look.count, words: ['not muted', 'not muted'] }} />,
          href: look.href,
          chosen: look.chosen,
        },
      ]}
    />
  )
}
