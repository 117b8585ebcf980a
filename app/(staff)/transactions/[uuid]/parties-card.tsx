import type { ReactNode } from 'react'
import { ExplorerLink } from '#components/explorer-link.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { chainLabel } from '#lib/labels/event-labels.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

/** Who and which accounts take part, as far as it was given. */
export function PartiesCard({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const { chain, parties } = transaction
  const { sender, beneficiary } = parties
  const address = (value: string | null) =>
    value && <ExplorerLink kind="address" value={value} chain={chain} />
  const given: [name: string, value: ReactNode][] = [
    ['Sender', sender?.name],
    ['Country', sender?.country],
    ['IBAN', sender?.iban && <AccountNumber number={sender.iban} />],
    ['Receiver', beneficiary?.name],
    ['Account', beneficiary?.accountNumber && <AccountNumber number={beneficiary.accountNumber} />],
    ['Bank', beneficiary?.bankName],
    ['Bank code', beneficiary?.bankCode],
    ['Wallet', address(parties.walletAddress)],
    ['Sent from', address(parties.sendingAddress)],
    ['Chain', chain && chainLabel(chain)],
    ['Linked account', parties.linkedBankAccountUuid && <ShortId id={parties.linkedBankAccountUuid} />],
    ['Remote account', parties.remoteBankAccountUuid && <ShortId id={parties.remoteBankAccountUuid} />],
    ['Internal account', parties.internalBankAccountId && <ShortId id={parties.internalBankAccountId} />],
  ]
  const known = given.filter(([, value]) => value)
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
    </Card>
  )
}

/** In groups of four, as on paper; copied without the gaps. */
function AccountNumber({ number }: { readonly number: string }) {
  const compact = number.replaceAll(' ', '')
  return (
    <span className="mono">
      {compact.replace(/(.{4})(?=.)/gu, '$1 ')}
      <CopyButton text={compact} label="Copy the account number" />
    </span>
  )
}
