import type { ReactNode } from 'react'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { AccountNumber } from '#components/ui/reveal/account-number.tsx'
import { MatchForm } from '#components/ui/reveal/match-form.tsx'
import { SearchableId } from '#components/ui/search/searchable-id.tsx'
import { ExplorerLink } from '#components/ui/shared/explorer-link.tsx'
import { fieldOf } from '#lib/access/rules/show-record.ts'
import { chainLabel } from '#lib/transactions/labels/chain-label.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'
import { countryName } from '#lib/words/labels/country-name.ts'
import { fieldLabels } from '#lib/words/labels/field-labels.ts'
import { checkMatchAction, revealFieldAction } from '../../actions.ts'

/** Who and which accounts take part, as far as it was given. */
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
  const comparable = comparableFields.filter(([path]) => fieldOf(transaction, path) !== null)
  return (
    <Card title="Parties">
      {known.length === 0 ? (
        <p className="text-muted text-table">No event has named anybody yet.</p>
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
