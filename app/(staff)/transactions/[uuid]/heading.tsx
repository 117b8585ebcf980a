import { Repeat2 } from 'lucide-react'
import type { ComponentProps } from 'react'
import { standingOf } from '#components/people/standing-pill.tsx'
import { UndecidedState } from '#components/timeline/event-marks.tsx'
import { HeadlineText, headlineFacts } from '#components/timeline/headline.tsx'
import type { SaidIn } from '#components/timeline/said-text.tsx'
import { directionLabel, StepPill } from '#components/transactions/step-pill.tsx'
import { SayToCustomer, type TellingWords } from '#components/transactions/tell-customer.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Link } from '#components/ui/link.tsx'
import { MoreMenu, MoreMenuLink } from '#components/ui/more-menu.tsx'
import { formatAmount, noCurrency } from '#components/ui/shared/amount.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { showValue } from '#lib/access/rules/visibility.ts'
import type { Neighbours, TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { paymentWords } from '#lib/transactions/labels/payment-labels.ts'
import { customerReason } from '#lib/transactions/rules/circumstances.ts'
import { limitCurrency } from '#lib/transactions/rules/money.ts'
import { refundOf } from '#lib/transactions/rules/refund.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { customerReply, type ReplyFacts } from '#lib/words/labels/customer-reply.ts'
import { Amounts } from './amounts.tsx'
import { CopyReply } from './copy-reply.tsx'
import { DeliveriesArriving } from './deliveries-arriving.tsx'
import { ListNeighbours } from './list-neighbours.tsx'

/** The heading has the amounts, the step, one sentence about what happened, what to tell the customer, and the ids. */
export function Heading({
  transaction,
  mayReplay,
  mayMove,
  reply,
  words,
  inAll,
}: {
  readonly transaction: TransactionDetailsView
  readonly mayReplay: boolean
  /** `mayMove`: the transaction may still move, and no gap hides its next events. */
  readonly mayMove: boolean
  readonly reply: ComponentProps<typeof CopyReply>
  /** Customers are told the step in these words. */
  readonly words: TellingWords
  /** `inAll` are the neighbours in the list of all transactions. */
  readonly inAll: Neighbours
}) {
  const { uuid, direction, step, reason, stuck, flags } = transaction
  return (
    <header className="@container">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <div className="@container flex min-w-0 flex-1 basis-80 flex-wrap items-center gap-x-8 gap-y-3">
          <Amounts transaction={transaction} />
          <p className="flex flex-wrap items-center gap-2.5 text-muted text-sm">
            <StepPill direction={direction} step={step} reason={reason} stuck={stuck} flags={flags} />
            {directionLabel(direction)}
          </p>
        </div>
        {/* Buttons that fit beside the amounts leave the whole width below both to the sentences. */}
        <div className="min-w-0 basis-full @2xl:order-1">
          <h1 className="wrap-anywhere font-heading text-lg tracking-[-0.012em]">
            <HeadlineText transaction={transaction} />
          </h1>
          <UndecidedState events={transaction.events} />
          <SayToCustomer transaction={transaction} words={words} />
          <Below transaction={transaction} mayMove={mayMove} />
        </div>
        <div data-commands="" className="flex flex-wrap gap-2">
          <ListNeighbours uuid={uuid} inAll={inAll} />
          <CopyReply {...reply} />
          <CopyButton text={transactionProviderText(transaction)}>Copy for provider</CopyButton>
          {mayReplay && (
            <MoreMenu label="More about this transaction">
              <MoreMenuLink href={`/replays/new?transaction=${encodeURIComponent(uuid)}`}>
                <Repeat2 aria-hidden />
                Replay webhooks…
              </MoreMenuLink>
            </MoreMenu>
          )}
        </div>
      </div>
    </header>
  )
}

/** The line has the id, the owner, and the age of the last event. */
function Below({
  transaction: { uuid, userEmail, userUuid, lastReceivedAt },
  mayMove,
}: {
  readonly transaction: TransactionDetailsView
  readonly mayMove: boolean
}) {
  return (
    <p className="mt-1.5 flex flex-wrap items-center gap-x-5 text-muted text-sm">
      <ShortId id={uuid} whole />
      {userEmail && userUuid && (
        <Link href={`/users/${userUuid}`} className="wrap-anywhere underline underline-offset-2">
          {userEmail}
        </Link>
      )}
      <span>
        Updated <Time at={lastReceivedAt} style="clock" className="num" />
        {mayMove && <DeliveriesArriving />}
      </span>
    </p>
  )
}

/** The reply to the customer is in each language, from what the customer may know. */
export function replyTexts(
  transaction: TransactionDetailsView,
  all: readonly CustomerWords[],
  verificationUrl: string | null,
  usual: ReplyFacts['usual'],
): SaidIn[] {
  const known = {
    ...headlineFacts(transaction),
    step: showValue('end-user', 'state', transaction.step),
    reason: showValue('end-user', 'state', customerReason(transaction.reason, transaction.turn)),
  }
  return all.map((words) => ({
    language: words.language,
    text: customerReply(words, known, { reference: transaction.uuid, verificationUrl, usual }),
  }))
}

/**
 * The provider's support needs this text about a transaction: its uuid first (§6.2), then the facts, with times in
 * UTC.
 */
export function transactionProviderText(transaction: TransactionDetailsView): string {
  const { currencyFiat, currencyCrypto } = transaction
  const { receipt, payout } = paymentWords(standingOf(transaction))
  const [fiatWord, cryptoWord] =
    transaction.direction === 'cryptoToFiat' ? [payout, receipt] : [receipt, payout]
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['transactionUuid', transaction.uuid],
    ['direction', transaction.direction],
    ['subType', transaction.step],
    ['status', transaction.reason],
    ['amountFiat', withWord(formatAmount(transaction.amountFiat, currencyFiat), fiatWord)],
    ['amountCrypto', withWord(formatAmount(transaction.amountCrypto, currencyCrypto), cryptoWord)],
    ['amountRefunded', stated(transaction.amountRefunded, refundOf(transaction)?.currency ?? null)],
    ['fees', stated(transaction.fees, null)],
    ['limit', stated(transaction.limit, limitCurrency(transaction))],
    ['chain', transaction.chain],
    ['transactionHash', transaction.transactionHash],
    ['user uuid', transaction.userUuid],
  ]
  const given = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  const received = transaction.events.map(
    ({ subType, type, status, firstReceivedAt, placedBefore, deliveries }) => {
      const what = [subType ?? type ?? 'no type', status === subType ? null : status]
        .filter(Boolean)
        .join(' / ')
      const before = placedBefore ? `, placed before ${placedBefore}` : ''
      return `${firstReceivedAt}  ${what} (${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}${before})`
    },
  )
  return [...given, '', 'Events as received (UTC):', ...received].join('\n')
}

const stated = (amount: string | null, currency: string | null) =>
  withWord(formatAmount(amount, currency), currency === null ? noCurrency : null)

/** The amount comes with the label of its step. */
const withWord = (amount: string | null, word: string | null) =>
  amount !== null && word !== null ? `${amount} (${word})` : amount
