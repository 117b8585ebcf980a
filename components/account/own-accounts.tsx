import type { OwnAccountView } from '#lib/account/list-own-accounts.ts'
import { customerAccount } from '#lib/labels/customer-labels.ts'
import { AccountNumber } from '../reveal/account-number.tsx'
import { Card, Fact, Facts } from '../ui/card.tsx'
import { Pill } from '../ui/pill.tsx'

/** A person's own accounts: what to pay into where one is active, else how it stands. */
export const OwnAccounts = ({ accounts }: { readonly accounts: readonly OwnAccountView[] }) => (
  <Card title="Accounts to pay into">
    <ul className="grid gap-4">
      {accounts.map((account) => (
        <Row key={account.uuid} account={account} />
      ))}
    </ul>
  </Card>
)

function Row({ account: { status, currency, ...numbers } }: { readonly account: OwnAccountView }) {
  const { label, meaning, tone } = customerAccount(status)
  return (
    <li className="grid gap-2 border-b pb-4 last:border-b-0 last:pb-0">
      <p className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-strong">{currency ?? 'Account'}</span>
        <Pill tone={tone}>{label}</Pill>
      </p>
      {status === 'ACTIVE' ? (
        <Numbers {...numbers} />
      ) : (
        meaning && <p className="text-muted text-sm">{meaning}</p>
      )}
    </li>
  )
}

function Numbers({
  iban,
  accountNumber,
  sortCode,
  bic,
  bankName,
}: Omit<OwnAccountView, 'status' | 'currency'>) {
  return (
    <Facts>
      {iban && (
        <Fact name="IBAN">
          <AccountNumber number={iban} reveal={null} />
        </Fact>
      )}
      {!iban && accountNumber && (
        <Fact name="Account number">
          <AccountNumber number={accountNumber} reveal={null} />
        </Fact>
      )}
      {!iban && sortCode && <Fact name="Sort code">{sortCode}</Fact>}
      {bic && <Fact name="BIC">{bic}</Fact>}
      {bankName && <Fact name="Bank">{bankName}</Fact>}
    </Facts>
  )
}
