import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { AccountNumber } from '#components/ui/reveal/account-number.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import type { AccountView } from '#lib/timeline/get-subject.ts'
import { countryName } from '#lib/words/labels/country-name.ts'
import { revealFieldAction } from '../../actions.ts'

/** What events gave of an account; its numbers whole, masked, or one by one. */
export function AccountCard({
  id,
  account,
  error,
}: {
  readonly id: string
  /** Null of a profile or a linked account, of which no event gives facts. */
  readonly account: AccountView | null
  /** Why it could not be made, in the provider's words. */
  readonly error: string | null
}) {
  const numberOf = (field: 'iban' | 'accountNumber') =>
    account?.[field] && (
      <AccountNumber
        number={account[field]}
        reveal={
          account.revealable.includes(field)
            ? { action: revealFieldAction, record: 'account', uuid: account.uuid, field }
            : null
        }
      />
    )
  const known = (
    [
      ['Error', error],
      ['IBAN', numberOf('iban')],
      ['Account number', numberOf('accountNumber')],
      ['Sort code', account?.sortCode],
      ['BIC', account?.bic],
      ['SWIFT code', account?.swiftCode],
      ['Bank', account?.bankName],
      ['Bank code', account?.bankCode],
      ['Country', account?.bankCountry && countryName(account.bankCountry)],
      ['Currency', account?.currency],
      ['Id', <ShortId key="id" id={id} />],
    ] as const
  ).filter(([, value]) => value)
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
