import { ButtonLink } from '#components/ui/link.tsx'
import { NotHere } from '../../not-here.tsx'

export default function AccountNotFound() {
  return (
    <NotHere
      title="No account with this ID has arrived here"
      action={
        <ButtonLink variant="primary" href="/accounts">
          All accounts
        </ButtonLink>
      }
    />
  )
}
