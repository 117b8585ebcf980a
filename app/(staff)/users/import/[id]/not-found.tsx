import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

export default function ImportNotFound() {
  return (
    <NotFound
      title="There is no such import"
      action={<ButtonLink href="/users/import">All imports</ButtonLink>}
    />
  )
}
