import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { PersonLink } from '#components/ui/search/person-link.tsx'
import { ExplorerLink } from '#components/ui/shared/explorer-link.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

/** What identifies it, to us, to the provider and on the chain. */
export function IdsCard({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const { uuid, transactionHash, userUuid, chain } = transaction
  return (
    <Card title="Ids">
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
