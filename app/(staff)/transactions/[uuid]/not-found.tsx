import { ButtonLink } from '#components/ui/link.tsx'
import { NotHere } from '../../not-here.tsx'

export default function TransactionNotFound() {
  return (
    <NotHere
      title="No transaction with this ID has arrived here"
      action={
        <ButtonLink variant="primary" href="/transactions">
          All transactions
        </ButtonLink>
      }
    />
  )
}
