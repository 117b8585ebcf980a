import { Tag } from '#components/ui/pill.tsx'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'

/** Which of the two it is, while an endpoint and its replacement both deliver; nothing for others. */
export function TwinTag({ endpoint }: { readonly endpoint: Pick<EndpointView, 'replaces' | 'replacedBy'> }) {
  const { replaces, replacedBy } = endpoint
  if (replaces) return <Tag className="shrink-0">new · confirm</Tag>
  if (replacedBy) return <Tag className="shrink-0">old · until confirmed</Tag>
  return null
}
