import { ArrowLeft } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound, redirect } from 'next/navigation'
import { headlineOf } from '#components/account/headline-of.ts'
import { OwnStepPill } from '#components/account/own-step-pill.tsx'
import { OwnTimeline } from '#components/account/own-timeline.tsx'
import { Amount } from '#components/amount.tsx'
import { directionLabel } from '#components/direction-label.ts'
import { ExplorerLink } from '#components/explorer-link.tsx'
import { RefreshOnChange } from '#components/live/refresh-on-change.tsx'
import { paidAmounts } from '#components/paid-amounts.tsx'
import { SupportContact } from '#components/support-contact.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { getOwnTransaction, type OwnTransactionDetailsView } from '#lib/account/get-own-transaction.ts'
import { requirePage } from '#lib/auth/require-page.ts'
import { readSettings } from '#lib/settings/read-settings.ts'

interface Props {
  readonly params: Promise<{ readonly uuid: string }>
}

export const metadata: Metadata = { title: 'Transaction' }

/** One's own transaction. Somebody else's answers exactly as one that does not exist, to staff as well. */
export default async function OwnTransactionPage({ params }: Props) {
  const uuid = decodeURIComponent((await params).uuid)
  const caller = await requirePage('see-own', `/account/transactions/${encodeURIComponent(uuid)}`)
  // That page says that there is no account.
  if (caller.userUuid === null) redirect('/account')
  const transaction = await getOwnTransaction(caller, uuid)
  if (!transaction) notFound()
  const { direction, step, subjectId } = transaction
  return (
    <>
      <RefreshOnChange subjects={[subjectId]} />
      <Link
        href="/account"
        className="inline-flex items-center gap-1.5 rounded-md text-muted text-sm hover:text-text"
      >
        <ArrowLeft className="size-4" aria-hidden />
        My account
      </Link>
      <header className="mt-4">
        <p className="flex flex-wrap items-center gap-2.5 text-muted text-sm">
          <OwnStepPill direction={direction} step={step} />
          {directionLabel(direction)}
        </p>
        <h1 className="mt-2 font-heading text-xl tracking-[-0.017em]">{headlineOf(transaction)}</h1>
      </header>
      <div className="mt-6 grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card title="What happened">
          <OwnTimeline direction={direction} steps={transaction.steps} />
          <p className="mt-5 border-t pt-3 text-muted text-sm">
            <TimesNote />
          </p>
        </Card>
        <div className="grid gap-5">
          <Reference uuid={transaction.uuid} />
          <Money transaction={transaction} />
        </div>
      </div>
    </>
  )
}

async function Reference({ uuid }: { readonly uuid: string }) {
  const { merchantName, supportContact } = await readSettings()
  return (
    <Card title="Reference">
      <ShortId id={uuid} whole copy={false} className="text-sm" />
      <p className="mt-1.5 mb-3 text-muted text-sm">
        For questions, give this to <SupportContact merchant={merchantName} contact={supportContact} />: it
        names exactly this transaction.
      </p>
      <CopyButton text={uuid}>Copy reference</CopyButton>
    </Card>
  )
}

/** `fees`, `limit` and `amountRefunded` carry no currency in the contract, so none is shown. */
function Money({ transaction }: { readonly transaction: OwnTransactionDetailsView }) {
  const passed = transaction.steps.map(({ step }) => step)
  const [paidIn, paidOut] = paidAmounts({ ...transaction, passed })
  return (
    <Card title="Money">
      <Facts>
        <Fact name={paidIn.label}>{paidIn.amount}</Fact>
        <Fact name={paidOut.label}>{paidOut.amount}</Fact>
        {transaction.fees && (
          <Fact name="Fees">
            <Amount value={transaction.fees} currency={null} />
          </Fact>
        )}
        {transaction.amountRefunded && (
          <Fact name="Refunded">
            <Amount value={transaction.amountRefunded} currency={null} />
          </Fact>
        )}
        {transaction.limit && (
          <Fact name="Limit">
            <Amount value={transaction.limit} currency={null} />
          </Fact>
        )}
        {transaction.transactionHash && (
          <Fact name="On the chain">
            <ExplorerLink kind="tx" value={transaction.transactionHash} chain={transaction.chain} />
          </Fact>
        )}
      </Facts>
    </Card>
  )
}
