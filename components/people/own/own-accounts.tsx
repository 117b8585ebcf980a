import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Pill } from '#components/ui/pill.tsx'
import type { OwnAccountView } from '#lib/people/own/get-profile.ts'
import { type CustomerWords, customerAccount } from '#lib/words/labels/customer-labels.ts'

/** A person's own accounts show what to pay into when they are active, or else their status. */
export const OwnAccounts = ({
  words,
  accounts,
}: {
  readonly words: CustomerWords
  readonly accounts: readonly OwnAccountView[]
}) => (
  <Card title={words('account.accounts')}>
    {accounts.length > 0 ? (
      <ul className="grid gap-4">
        {accounts.map((account) => (
          <Row key={account.uuid} words={words} account={account} />
        ))}
      </ul>
    ) : (
      <p className="text-muted text-table">{words('account.noAccountsYet')}</p>
    )}
  </Card>
)

interface OwnAccountProps {
  readonly words: CustomerWords
  readonly account: OwnAccountView
}

function Row({ words, account }: OwnAccountProps) {
  const { status, currency } = account
  const { label, meaning, tone } = customerAccount(words, status)
  return (
    <li className="grid gap-2 border-b pb-4 last:border-b-0 last:pb-0">
      <p className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-strong">{currency ?? words('account.account')}</span>
        <Pill tone={tone}>{label}</Pill>
      </p>
      {status === 'ACTIVE' ? (
        <Numbers words={words} account={account} />
      ) : (
        <p className="text-muted text-sm">{meaning}</p>
      )}
    </li>
  )
}

function Numbers({ words, account }: OwnAccountProps) {
  const { iban, accountNumber, sortCode, bic, bankName } = account
  return (
    <Facts>
      {iban && (
        <Fact name={words('account.iban')}>
          <OwnNumber words={words} number={iban} />
        </Fact>
      )}
      {!iban && accountNumber && (
        <Fact name={words('account.accountNumber')}>
          <OwnNumber words={words} number={accountNumber} />
        </Fact>
      )}
      {!iban && sortCode && <Fact name={words('account.sortCode')}>{sortCode}</Fact>}
      {bic && <Fact name={words('account.bic')}>{bic}</Fact>}
      {bankName && <Fact name={words('account.bank')}>{bankName}</Fact>}
    </Facts>
  )
}

/** The number has groups of four, as on paper, below its name. It is copied without the gaps. */
function OwnNumber({ words, number }: { readonly words: CustomerWords; readonly number: string }) {
  const compact = number.replaceAll(' ', '')
  const groups = compact.match(/.{1,4}/gu) ?? []
  return (
    <span className="mono" data-wide="">
      {groups.slice(0, -2).map((group) => `${group} `)}
      <span className="whitespace-nowrap">
        {groups.slice(-2).join(' ')}
        {!number.includes('•') && <CopyButton text={compact} label={words('account.copyAccountNumber')} />}
      </span>
    </span>
  )
}
