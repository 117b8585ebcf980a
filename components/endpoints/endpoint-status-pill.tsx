import { Pill } from '#components/ui/pill.tsx'
import { endpointStatusLabel } from './endpoint-labels.ts'

export function EndpointStatusPill({ status }: { readonly status: string }) {
  const { label, tone } = endpointStatusLabel(status)
  return (
    <Pill tone={tone} className="whitespace-nowrap">
      {label}
    </Pill>
  )
}
