import { ButtonLink } from '#components/ui/link.tsx'
import { NotHere } from '../../not-here.tsx'

export default function SubjectNotFound() {
  return (
    <NotHere
      title="Nothing with this ID has arrived here"
      action={
        <ButtonLink variant="primary" href="/timeline">
          The whole timeline
        </ButtonLink>
      }
    />
  )
}
