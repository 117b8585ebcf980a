import type { OwnAccountView } from '#lib/account/list-own-accounts.ts'
import { customerAccount } from '#lib/labels/customer-labels.ts'
import { Card, Fact, Facts } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
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
          <Copied text={iban} shown={iban.replace(/(.{4})(?=.)/g, '$1 ')} what="IBAN" />
        </Fact>
      )}
      {!iban && accountNumber && (
        <Fact name="Account number">
          <Copied text={accountNumber} shown={accountNumber} what="account number" />
        </Fact>
      )}
      {!iban && sortCode && <Fact name="Sort code">{sortCode}</Fact>}
      {bic && <Fact name="BIC">{bic}</Fact>}
      {bankName && <Fact name="Bank">{bankName}</Fact>}
    </Facts>
  )
}

const Copied = ({
  text,
  shown,
  what,
}: {
  readonly text: string
  readonly shown: string
  readonly what: string
}) => (
  <span className="inline-flex flex-wrap items-center gap-1">
    <span className="mono wrap-anywhere">{shown}</span>
    <CopyButton text={text} label={`Copy the ${what}`} />
  </span>
)
