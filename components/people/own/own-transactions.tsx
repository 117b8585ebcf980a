import { ArrowLeftRight, ChevronRight } from 'lucide-react'
import { headlineFacts } from '#components/timeline/headline.tsx'
import { buttonClass } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import type { OwnTransactionPage, OwnTransactionView } from '#lib/people/own/own-transactions.ts'
import { type CustomerWords, customerHeadline, customerStep } from '#lib/words/labels/customer-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** Each of a person's own transactions has one sentence. */
export function OwnTransactions({
  words,
  page,
  newest,
  playUrl,
}: {
  readonly words: CustomerWords
  readonly page: OwnTransactionPage
  /** `newest`: this is the first page. */
  readonly newest: boolean
  /** The sandbox plays a transaction for this person at this address; null without it. */
  readonly playUrl: string | null
}) {
  if (page.rows.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={ArrowLeftRight}
          title={words('account.noTransactions')}
          action={
            playUrl && (
              <a
                href={playUrl}
                target="_blank"
                rel="noreferrer"
                className={buttonClass({ variant: 'primary' })}
              >
                {words('account.play')}
              </a>
            )
          }
        >
          {words('account.noTransactionsNext')}
        </EmptyState>
      </Card>
    )
  }
  return (
    <Card>
      <ul>
        {page.rows.map((row) => (
          <Row key={row.uuid} words={words} row={row} />
        ))}
      </ul>
      <PageLinks
        name={words('account.pages')}
        newest={newest ? null : '/account'}
        older={page.next && `/account?after=${encodeURIComponent(page.next)}`}
        words={[words('account.newest'), words('account.older')]}
      />
    </Card>
  )
}

function Row({ words, row }: { readonly words: CustomerWords; readonly row: OwnTransactionView }) {
  return (
    <li className="border-b last:border-b-0">
      <Link
        href={`/account/transactions/${encodeURIComponent(row.uuid)}`}
        className="flex items-center gap-3 px-gutter py-3 transition-colors hover:bg-hover focus-visible:-outline-offset-2 sm:px-5"
      >
        <span className="min-w-0 flex-1">
          <span className="block font-label leading-snug">{headlineOf(words, row)}</span>
          <span className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-sm">
            <OwnStepPill words={words} {...row} />
            <Time at={row.startedAt} style="dated" />
            <span className="hidden sm:inline">
              {words.rich('account.referenceOf', {
                id: shortId(row.uuid),
                mark: (id) => (
                  <span key="id" className="mono">
                    {id}
                  </span>
                ),
              })}
            </span>
          </span>
        </span>
        <ChevronRight className="size-4 text-faint" aria-hidden />
      </Link>
    </li>
  )
}

/** The pill shows the step of one's own transaction. */
export function OwnStepPill({
  words,
  direction,
  step,
  conflict,
  stuck,
}: {
  readonly words: CustomerWords
  readonly direction: Direction | null
  readonly step: string | null
  /** `conflict`: another event contradicts the outcome. */
  readonly conflict: boolean
  /** `stuck`: the transaction is late. */
  readonly stuck: boolean
}) {
  const { label, tone } = customerStep(words, direction, step, null, { conflict, stuck })
  return <Pill tone={tone}>{label}</Pill>
}

type Facts = Omit<Parameters<typeof headlineFacts>[0], 'flags'> & { readonly conflict: boolean }

/** One sentence tells the owner what happened to a transaction. */
export const headlineOf = (words: CustomerWords, { conflict, ...transaction }: Facts): string =>
  customerHeadline(words, headlineFacts({ ...transaction, flags: conflict ? ['conflict'] : [] }))
