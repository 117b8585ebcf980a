import { Pill } from '../ui/pill.tsx'
import { wordsOfEndpointStatus } from './endpoint-words.ts'

export function EndpointStatusPill({ status }: { readonly status: string }) {
  const { label, tone } = wordsOfEndpointStatus(status)
  return <Pill tone={tone}>{label}</Pill>
}
