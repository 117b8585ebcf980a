import { AccountNumber } from '#components/reveal/account-number.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import type { AccountView } from '#lib/events/get-subject.ts'
import { revealFieldAction } from '../../actions.ts'

/** What events gave of a customer's own bank account; its numbers whole, masked, or one by one. */
export function AccountCard({ account }: { readonly account: AccountView }) {
  const { uuid, revealable, currency, sortCode, bic, bankName } = account
  const numberOf = (field: 'iban' | 'accountNumber') =>
    account[field] && (
      <AccountNumber
        number={account[field]}
        reveal={
          revealable.includes(field) ? { action: revealFieldAction, record: 'account', uuid, field } : null
        }
      />
    )
  const known = (
    [
      ['IBAN', numberOf('iban')],
      ['Account number', numberOf('accountNumber')],
      ['Sort code', sortCode],
      ['BIC', bic],
      ['Bank', bankName],
      ['Currency', currency],
    ] as const
  ).filter(([, value]) => value)
  if (known.length === 0) return null
  return (
    <Card title="Account">
      <Facts>
        {known.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
    </Card>
  )
}
