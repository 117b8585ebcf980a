import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { BackToAccount } from '#components/people/own/account-shell.tsx'
import {
  hasReceipt,
  OwnMoneyCard,
  OwnTimeline,
  UsualDurationNote,
} from '#components/people/own/own-money-card.tsx'
import { headlineOf, OwnStepPill } from '#components/people/own/own-transactions.tsx'
import { PrintReceipt, ReceiptHead } from '#components/people/own/receipt.tsx'
import { EndOwnHold, supportOf } from '#components/people/own/start-verification.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { RefreshEvery, RefreshOnChange } from '#components/ui/live/refresh.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import { subjectId as keyOf } from '#lib/deliveries/rules/subject.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import {
  getOwnTransaction,
  type OwnTransactionDetailsView,
  readUsualDuration,
} from '#lib/people/own/own-transactions.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import { isMoving } from '#lib/transactions/rules/is-stuck.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { readWords } from '../../../read-words.ts'

interface Props {
  readonly params: Promise<{ readonly uuid: string }>
}

export async function generateMetadata(): Promise<Metadata> {
  const words = await readWords()
  return { title: words('account.transaction') }
}

/**
 * The page shows one's own transaction. Somebody else's answers exactly like one that does not exist, to staff as
 * well.
 */
export default async function OwnTransactionPage({ params }: Props) {
  const uuid = decodeURIComponent((await params).uuid)
  const caller = await requirePage('see-own', `/account/transactions/${encodeURIComponent(uuid)}`)
  // The account page says that there is no account.
  if (caller.userUuid === null) redirect('/account')
  const transaction = await getOwnTransaction(caller, uuid)
  if (!transaction) notFound()
  const words = await readWords()
  const { direction, step, reason, turn, conflict, stuck, subjectId } = transaction
  const settings = await readSettings()
  const { merchantName, mark, legalName, supportContact } = settings
  const customer = [transaction.customer.name, transaction.customer.email].filter(Boolean).join(', ')
  const usual = await readUsualDuration(caller, transaction)
  return (
    <>
      <RefreshOnChange subjects={[subjectId, keyOf({ kind: 'entity', id: caller.userUuid })]} />
      {isMoving(step) && !stuck && <RefreshEvery seconds={30} />}
      {hasReceipt(transaction) && (
        <ReceiptHead
          merchant={merchantName}
          mark={mark}
          issuer={[legalName, supportContact].filter((line) => line !== null)}
          title={words('account.receipt')}
          reference={transaction.uuid}
        >
          {customer !== '' && <p className="mt-1 text-sm">{words('account.receiptFor', { customer })}</p>}
        </ReceiptHead>
      )}
      <BackToAccount words={words} />
      <header className="mt-4 print:mt-0">
        <p className="flex flex-wrap items-center gap-2.5 text-muted text-sm">
          <OwnStepPill words={words} {...transaction} />
          {words(`amounts.${direction ?? 'directionUnknown'}`)}
        </p>
        <h1 className="mt-2 font-heading text-xl tracking-[-0.017em]">{headlineOf(words, transaction)}</h1>
        {usual && <UsualDurationNote words={words} usual={usual} />}
        {stuck && (
          <p className="mt-2 text-table">
            {words('steps.late.meaning')}{' '}
            {words.rich('account.lateNext', supportOf(merchantName, settings.supportContact))}
          </p>
        )}
        {!conflict && <EndOwnHold words={words} {...settings} step={step} reason={reason} turn={turn} />}
      </header>
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] items-start gap-5 @4xl/main:grid-cols-[minmax(0,1fr)_20rem]">
        <Card title={words('account.whatHappened')}>
          <OwnTimeline words={words} {...transaction} />
          <p className="mt-5 border-t pt-3 text-muted text-sm print:hidden">
            <TimesNote />
          </p>
        </Card>
        <div className="grid gap-5">
          <Reference words={words} transaction={transaction} />
          <OwnMoneyCard words={words} transaction={transaction} />
        </div>
      </div>
    </>
  )
}

async function Reference({
  words,
  transaction,
}: {
  readonly words: CustomerWords
  readonly transaction: OwnTransactionDetailsView
}) {
  const { uuid } = transaction
  const { merchantName, supportContact } = await readSettings()
  return (
    <Card title={words('account.reference')}>
      <ShortId id={uuid} whole copy={false} className="text-sm" />
      <p className="mt-1.5 mb-3 text-muted text-sm">
        {words.rich('account.referenceUse', supportOf(merchantName, supportContact))}
      </p>
      <div className="flex flex-wrap gap-2 print:hidden">
        <CopyButton text={uuid}>{words('account.copyReference')}</CopyButton>
        {hasReceipt(transaction) && <PrintReceipt>{words('account.print')}</PrintReceipt>}
      </div>
    </Card>
  )
}
