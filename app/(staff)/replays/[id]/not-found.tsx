import { Repeat2 } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

export default function ReplayNotFound() {
  return (
    <NotFound
      icon={Repeat2}
      title="There is no replay with this ID"
      action={<ButtonLink href="/replays">All replays</ButtonLink>}
    />
  )
}
