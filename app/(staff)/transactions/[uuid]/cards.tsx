import type { ReactNode } from 'react'
import { standingOf } from '#components/people/standing-pill.tsx'
import { paidAmounts } from '#components/transactions/paid-amounts.tsx'
import { StepPill } from '#components/transactions/step-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { MatchForm } from '#components/ui/reveal/match-form.tsx'
import { AccountNumber } from '#components/ui/reveal/reveal.tsx'
import { PersonLink, SearchableId } from '#components/ui/search/searchable.tsx'
import { StatedAmount } from '#components/ui/shared/amount.tsx'
import { ExplorerLink } from '#components/ui/shared/explorer-link.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { fieldOf } from '#lib/access/rules/records.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { chainLabel } from '#lib/transactions/labels/step-labels.ts'
import { limitCurrency, paymentPhase } from '#lib/transactions/rules/money.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import { countryName, shortId } from '#lib/words/labels/formats.ts'
import { rateLabel } from '#lib/words/labels/money.ts'
import { fieldLabels } from '#lib/words/labels/subject-labels.ts'
import { checkMatchAction, revealFieldAction } from '../../actions.ts'

/** The card has the facts beside the amounts. The contract names no currency of `fees`. */
export function MoneyCard({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const { fees, limit } = transaction
  const rate = paymentPhase(standingOf(transaction)).exchanged ? rateLabel(transaction) : null
  if (fees === null && limit === null && rate === null) return null
  return (
    <Card title="Fees and rate">
      <Facts>
        <Fact name="Fees">
          <StatedAmount value={fees} currency={null} />
        </Fact>
        {limit && (
          <Fact name="Limit">
            <StatedAmount value={limit} currency={limitCurrency(transaction)} />
          </Fact>
        )}
        {rate && (
          <Fact name="Rate">
            <span className="num">{rate}</span> <span className="text-faint">calculated</span>
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

/** The card shows the parties and their accounts, as far as events gave them. */
export function PartiesCard({
  transaction,
  mayCompare,
}: {
  readonly transaction: TransactionDetailsView
  readonly mayCompare: boolean
}) {
  const { uuid, chain, parties, revealable } = transaction
  const { sender, beneficiary } = parties
  const address = (value: string | null) =>
    value && <ExplorerLink kind="address" value={value} chain={chain} />
  const numberOf = (field: string, number: string | null | undefined) =>
    number && (
      <AccountNumber
        number={number}
        reveal={
          revealable.includes(field)
            ? { action: revealFieldAction, record: 'transaction', uuid, field }
            : null
        }
      />
    )
  const given: [name: string, value: ReactNode][] = [
    ['Sender', sender?.name && <bdi>{sender.name}</bdi>],
    ['Country', sender?.country && countryName(sender.country)],
    ['IBAN', numberOf('parties.sender.iban', sender?.iban)],
    ['Receiver', beneficiary?.name && <bdi>{beneficiary.name}</bdi>],
    ['Account', numberOf('parties.beneficiary.accountNumber', beneficiary?.accountNumber)],
    ['Bank', beneficiary?.bankName && <bdi>{beneficiary.bankName}</bdi>],
    ['Bank code', beneficiary?.bankCode],
    ['Wallet', address(parties.walletAddress)],
    ['Sent from', address(parties.sendingAddress)],
    ['Chain', chain && chainLabel(chain)],
    ['Linked account', parties.linkedBankAccountUuid && <SearchableId id={parties.linkedBankAccountUuid} />],
    ['Remote account', parties.remoteBankAccountUuid && <SearchableId id={parties.remoteBankAccountUuid} />],
    [
      'Internal account',
      parties.internalBankAccountId && <SearchableId id={parties.internalBankAccountId} />,
    ],
  ]
  const known = given.filter(([, value]) => value)
  const comparable = comparableFields.flatMap(([path, name]) => {
    const shown = fieldOf(transaction, path)
    return shown === null ? [] : [[path, name, String(shown)] as const]
  })
  return (
    <Card title="Parties">
      {known.length === 0 ? (
        <p className="text-muted text-table">No parties known yet.</p>
      ) : (
        <Facts>
          {known.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </Facts>
      )}
      {mayCompare && comparable.length > 0 && (
        <div className="mt-2 print:hidden">
          <MatchForm transaction={uuid} fields={comparable} action={checkMatchAction} />
        </div>
      )}
    </Card>
  )
}

const comparableFields = [
  ['parties.sender.iban', fieldLabels['parties.sender.iban']],
  ['parties.sender.name', fieldLabels['parties.sender.name']],
  ['parties.beneficiary.accountNumber', fieldLabels['parties.beneficiary.accountNumber']],
  ['parties.beneficiary.name', fieldLabels['parties.beneficiary.name']],
] as const

/** The card has the ids of the transaction here, at the provider and on the chain. */
export function IdsCard({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const { uuid, transactionHash, userUuid, chain } = transaction
  return (
    <Card title="IDs">
      <Facts>
        <Fact name="Transaction">
          <ShortId id={uuid} />
        </Fact>
        <Fact name="Hash">
          {transactionHash ? (
            <ExplorerLink kind="tx" value={transactionHash} chain={chain} />
          ) : (
            <span className="text-faint">–</span>
          )}
        </Fact>
        <Fact name="Person">
          {userUuid ? <PersonLink userUuid={userUuid} /> : <span className="text-faint">–</span>}
        </Fact>
      </Facts>
    </Card>
  )
}

/** The card lists other transactions of the customer, nearest in time first, each with its present step. */
export function OthersCard({
  transactions,
  userUuid,
}: {
  readonly transactions: readonly TransactionView[]
  readonly userUuid: string
}) {
  return (
    <Card
      title="Other transactions of this customer"
      aside={
        <Link href={`/users/${userUuid}`} className="text-sm underline underline-offset-2">
          All
        </Link>
      }
    >
      <ul className="@container -mx-2">
        {transactions.map((transaction) => {
          const [paidIn] = paidAmounts({ ...transaction, conflict: transaction.flags.includes('conflict') })
          return (
            <li
              key={transaction.uuid}
              className="relative grid grid-cols-[minmax(0,1fr)] items-baseline gap-x-2.5 gap-y-1 rounded-md px-2 py-1.5 text-table hover:bg-hover @min-[15rem]:grid-cols-[minmax(0,1fr)_auto]"
            >
              <Link
                href={subjectPath(transaction.subjectId)}
                title={transaction.uuid}
                className="row-link mono text-sm"
              >
                {shortId(transaction.uuid)}
              </Link>
              <Time
                at={transaction.startedAt}
                style="minute"
                className="num whitespace-nowrap text-muted text-sm"
              />
              <span className="col-span-full flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <StepPill {...transaction} />
                {paidIn.marked}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
