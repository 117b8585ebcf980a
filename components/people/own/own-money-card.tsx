import { ArrowUpRight } from 'lucide-react'
import { headlineFacts } from '#components/timeline/headline.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { toneIcons } from '#components/ui/pill.tsx'
import { explorerAddress } from '#components/ui/shared/explorer-link.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { type Direction, finalSteps } from '#lib/deliveries/rules/steps.ts'
import type {
  OwnStepView,
  OwnTransactionDetailsView,
  UsualDuration,
} from '#lib/people/own/own-transactions.ts'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import { chainLabel } from '#lib/transactions/labels/step-labels.ts'
import { limitCurrency, paymentPhase } from '#lib/transactions/rules/money.ts'
import { type Refund, type RefundFacts, refundOf } from '#lib/transactions/rules/refund.ts'
import {
  type CustomerWords,
  customerRefund,
  customerStep,
  statedMoney,
  statedRefund,
} from '#lib/words/labels/customer-labels.ts'
import { formatSpan } from '#lib/words/labels/duration.ts'
import { rateLabel } from '#lib/words/labels/money.ts'

/**
 * The card shows the amounts of one's own transaction, each with the label of its step. The contract names no
 * currency of `fees`.
 */
export function OwnMoneyCard({
  words,
  transaction,
}: {
  readonly words: CustomerWords
  readonly transaction: OwnTransactionDetailsView
}) {
  const { direction, amountFiat, currencyFiat, amountCrypto, currencyCrypto } = transaction
  const back = customerRefund(
    words,
    headlineFacts({ ...transaction, flags: transaction.conflict ? ['conflict'] : [] }),
  )
  const { receipt, payout, exchanged } = paymentPhase({
    ...transaction,
    passed: transaction.steps.map(({ step }) => step),
  })
  const rate = exchanged ? rateLabel(transaction, words.language) : null
  const { walletAddress, sendingAddress } = transaction.parties
  const amount = (value: string | null, currency: string | null = null) => (
    <OwnAmount words={words} value={value} currency={currency} />
  )
  const fiat = amount(amountFiat, currencyFiat)
  const coins = amount(amountCrypto, currencyCrypto)
  return (
    <Card title={words('account.money')}>
      <Facts>
        <Fact name={words(`amounts.receipt.${receipt}`)}>{direction === 'cryptoToFiat' ? coins : fiat}</Fact>
        <Fact name={words(`amounts.payout.${payout}`)}>{direction === 'cryptoToFiat' ? fiat : coins}</Fact>
        {transaction.fees && <Fact name={words('amounts.fees')}>{amount(transaction.fees)}</Fact>}
        {rate && (
          <Fact name={words('amounts.rate')}>
            <span className="num whitespace-nowrap">{rate}</span>{' '}
            <span className="text-muted">{words('amounts.calculated')}</span>
          </Fact>
        )}
        {back && (
          <Fact name={back.name}>
            <span className="num">{statedRefund(words, back.refund)}</span>
          </Fact>
        )}
        {transaction.limit && (
          <Fact name={words('amounts.limit')}>{amount(transaction.limit, limitCurrency(transaction))}</Fact>
        )}
        {sendingAddress && (
          <Fact name={words('amounts.sendingWallet')}>
            <PrintedId id={sendingAddress} />
          </Fact>
        )}
        {walletAddress && (
          <Fact name={words('amounts.receivingWallet')}>
            <PrintedId id={walletAddress} />
          </Fact>
        )}
        {transaction.transactionHash && (
          <Fact name={words('amounts.onTheChain')}>
            <OnTheChain words={words} hash={transaction.transactionHash} chain={transaction.chain} />
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

/** A missing amount is a dash; digits that are no number are shown as they are. */
function OwnAmount({
  words,
  value,
  currency,
}: {
  readonly words: CustomerWords
  readonly value: string | null
  readonly currency: string | null
}) {
  if (value === null) return <span className="text-faint">–</span>
  const decimal = parseDecimal(value)
  return <span className="num">{decimal === null ? value : statedMoney(words, decimal, currency)}</span>
}

/** Nothing on paper can be copied or hovered, so the id is whole there. */
const PrintedId = ({ id }: { readonly id: string }) => (
  <>
    <ShortId id={id} className="print:hidden" />
    <span className="mono hidden break-all print:inline">{id}</span>
  </>
)

function OnTheChain({
  words,
  hash,
  chain,
}: {
  readonly words: CustomerWords
  readonly hash: string
  readonly chain: string | null
}) {
  const address = explorerAddress('tx', hash, chain)
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <PrintedId id={hash} />
      {address && chain && (
        <a
          href={address}
          target="_blank"
          rel="noreferrer"
          aria-label={words('amounts.seeInExplorer', { what: hash, chain: chainLabel(chain) })}
          title={words('amounts.explorer', { chain: chainLabel(chain) })}
          className="touch-target relative grid size-6 shrink-0 place-items-center rounded-md text-faint hover:bg-hover hover:text-text print:hidden"
        >
          <ArrowUpRight className="size-3.5" aria-hidden />
        </a>
      )}
    </span>
  )
}

/**
 * A receipt exists once money has arrived or gone back for good. A failed, open or unclear transaction has nothing
 * to print.
 */
export const hasReceipt = ({
  step,
  conflict,
}: Pick<OwnTransactionDetailsView, 'step' | 'conflict'>): boolean =>
  !conflict && (step === 'SUCCESS' || step === 'REFUNDED')

/**
 * The steps of one's own transaction come newest first, in words for customers. Only the newest step, and one that is being
 * clarified, says what it means, since what a past step asked for is over.
 */
export function OwnTimeline({
  words,
  steps,
  conflict,
  stuck,
  ...paid
}: Omit<RefundFacts, 'step' | 'flags'> & {
  readonly words: CustomerWords
  readonly steps: readonly OwnStepView[]
  /**
   * `conflict`: another step contradicts the outcome. One sentence says for all of them that this is being
   * clarified.
   */
  readonly conflict: boolean
  /** `stuck`: the transaction is late at its present step. */
  readonly stuck: boolean
}) {
  const isUnsettled = ({ step }: OwnStepView) => conflict && finalSteps.includes(step)
  const newest = steps.findLast(isUnsettled)
  return (
    <ol>
      {steps
        .filter((step) => !isUnsettled(step) || step === newest)
        .toReversed()
        .map((step) => (
          <TimelineStep
            key={step.id}
            words={words}
            direction={paid.direction}
            conflict={step === newest}
            stuck={stuck && step === steps.at(-1)}
            isExplained={step === newest || step === steps.at(-1)}
            refund={refundOf({ ...paid, step: step.step, flags: [] })}
            {...step}
          />
        ))}
    </ol>
  )
}

function TimelineStep({
  words,
  direction,
  step,
  reason,
  at,
  before,
  conflict,
  stuck,
  isExplained,
  refund,
}: OwnStepView & {
  readonly words: CustomerWords
  readonly direction: Direction | null
  readonly conflict: boolean
  readonly stuck: boolean
  readonly isExplained: boolean
  readonly refund: Refund | null
}) {
  const { label, meaning, tone } = customerStep(words, direction, step, reason, { conflict, stuck, refund })
  const Icon = toneIcons[tone]
  const time = <Time key="time" at={at} style="dated" />
  return (
    <li data-tone={tone} className="group relative flex gap-3.5 pb-6 last:pb-0">
      <span aria-hidden className="absolute top-7 bottom-0 left-3.25 w-0.5 bg-line group-last:hidden" />
      <span className="grid size-7 shrink-0 place-items-center rounded-full bg-tone-bg text-tone">
        <Icon className="size-3.5 [stroke-width:2.4]" aria-hidden />
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="min-w-0 font-strong">{label}</span>
          <span className="num text-muted text-sm">
            {before ? words.rich('account.before', { time: () => time }) : time}
          </span>
        </p>
        {isExplained && meaning && <p className="text-muted text-table">{meaning}</p>}
      </div>
    </li>
  )
}

/** The note says how long other transactions took, for a customer who waits. */
export const UsualDurationNote = ({
  words,
  usual: { usualSeconds, mostSeconds, count },
}: {
  readonly words: CustomerWords
  readonly usual: UsualDuration
}) => (
  <p className="mt-2 text-muted text-table">
    {words('account.usually', {
      usual: formatSpan(usualSeconds, words.language),
      most: formatSpan(mostSeconds, words.language),
    })}{' '}
    {words('account.usuallyFrom', { count })}
  </p>
)
