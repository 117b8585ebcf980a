import { Repeat2 } from 'lucide-react'
import { NotFound } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'

export default function ReplayNotFound() {
  return (
    <NotFound
      icon={Repeat2}
      title="There is no replay with this ID"
      action={<ButtonLink href="/replays">All replays</ButtonLink>}
    />
  )
}
