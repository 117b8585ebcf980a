import { NotFound } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'

export default function ImportNotFound() {
  return (
    <NotFound
      title="There is no such import"
      action={<ButtonLink href="/users/import">All imports</ButtonLink>}
    />
  )
}
