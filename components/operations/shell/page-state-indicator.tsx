'use client'

import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'
import { useLive } from '#components/ui/live/live.tsx'
import { usePageState } from '#components/ui/live/use-page-state.ts'
import { waitingWords } from '#components/ui/live/waiting-words.ts'
import { Time } from '#components/ui/time.tsx'
import type { PageState } from '#lib/operations/rules/health.ts'
import type { PageStateMeanings } from './page-state-meanings.ts'
import { pageStateWords } from './page-state-words.ts'

/**
 * The indicator says whether the page shows everything. It shows the worst of the browser's connection, the
 * deliveries and the service. A click leads to what can be done, or ends a pause.
 */
export function PageStateIndicator({ meanings }: { readonly meanings: PageStateMeanings }) {
  const { state: connection, waiting, resume } = useLive()
  const state = usePageState()
  const words = pageStateWords(state)
  const shown = (
    <>
      <span
        data-tone={words.tone}
        className={clsx(
          'tone-dot mr-0.5 shrink-0',
          words.tone === 'done' ? 'rounded-full' : 'rounded-dot',
          state.kind === 'reconnecting' && 'animate-breathe',
        )}
        aria-hidden
      />
      <span className={clsx('header-words', words.tone === 'fail' && 'font-strong text-fail')}>
        <span className="md:hidden">{words.short}</span>
        <span className="max-md:hidden">{words.long}</span>
      </span>{' '}
      <Behind state={state} waiting={waiting} />
    </>
  )
  const props = {
    title: meaningOf(state, meanings),
    'data-connection': connection,
    className: clsx(
      'flex min-w-0 items-center gap-1.5 whitespace-nowrap rounded-md @max-md:mr-2',
      // A header of several lines breaks between words before anything beside it moves to another line.
      '@max-xs:max-w-max @max-xs:grow @max-xs:basis-[min-content]',
      (words.href !== null || state.kind === 'paused') && 'hover:text-text',
    ),
  }
  return (
    <>
      {/* Screen readers hear only the words, and not the ticking time behind them. */}
      <span role="status" className="sr-only">
        {words.long}
      </span>
      {state.kind === 'paused' ? (
        <button type="button" onClick={resume} {...props}>
          {shown}
          <span className="sr-only">, resume</span>
        </button>
      ) : words.href === null ? (
        <span {...props}>{shown}</span>
      ) : (
        <Link href={words.href} {...props}>
          {shown}
        </Link>
      )}
    </>
  )
}

const meaningOf = (state: PageState, { states, gaps }: PageStateMeanings): string =>
  state.kind === 'missing' || state.kind === 'perhaps-missing'
    ? `${gaps[state.gap.kind]} Click to see the transactions.`
    : states[state.kind]

/** This follows the words when there is room. */
function Behind({ state, waiting }: { readonly state: PageState; readonly waiting: number | null }) {
  switch (state.kind) {
    case 'up-to-date':
      return (
        <More>
          · last delivery {/* The place has the width of the longest text, so that nothing moves. */}
          <span className="num inline-block min-w-[10ch]">
            <Time at={state.lastDeliveryAt} />
          </span>
        </More>
      )
    case 'missing':
    case 'perhaps-missing': {
      const { beganAt, endedAt, open } = state.gap
      return (
        <More>
          {endedAt === null && 'since '}
          <Time at={beganAt} style="minute" />
          {endedAt !== null && (
            <>
              {' '}
              to <Time at={endedAt} style="minute" />
            </>
          )}{' '}
          · {open.exact ? '' : 'over '}
          {open.count.toLocaleString('en')} {open.count === 1 ? 'transaction' : 'transactions'} open
        </More>
      )
    }
    case 'unread':
    case 'unwatched':
    case 'key-refused':
    case 'service-silent':
    case 'behind':
      return (
        <More>
          since <Time at={state.since} style="minute" />
        </More>
      )
    case 'paused':
      return waiting === 0 ? null : <span className="num">· {waitingWords(waiting)}</span>
    default:
      return null
  }
}

const More = ({ children }: { readonly children: ReactNode }) => (
  <span className="truncate max-lg:hidden">{children}</span>
)
