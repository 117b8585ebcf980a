'use client'

import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'
import { useLive, usePageState } from '#components/ui/live/live.tsx'
import { waitingWords } from '#components/ui/shared/total-label.ts'
import { Time } from '#components/ui/time.tsx'
import type { PageState } from '#lib/operations/rules/health.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import type { PageStateMeanings } from './page-state-meanings.ts'

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

/** The header says this of one state. */
interface StateWords {
  readonly tone: Tone
  /** `short` has one to three words, for little room. */
  readonly short: string
  /** `long` is shown when there is room. */
  readonly long: string
  /** `href` leads to what can be done; null when there is nothing to do. */
  readonly href: string | null
}

/** Each state has its words. The ticking time and the number of open items follow them. */
export function pageStateWords(state: PageState): StateWords {
  switch (state.kind) {
    case 'missing':
    case 'perhaps-missing': {
      const missing = state.kind === 'missing' ? 'Deliveries missing' : 'Deliveries may be missing'
      return {
        tone: state.kind === 'missing' ? 'fail' : 'held',
        short: state.kind === 'missing' ? 'Missing' : 'Missing?',
        long: missing,
        href: `/gaps/${state.gap.id}`,
      }
    }
    default:
      return words[state.kind]
  }
}

const words = {
  reconnecting: {
    tone: 'held',
    short: 'Reconnecting',
    long: 'Reconnecting…',
    href: null,
  },
  paused: {
    tone: 'held',
    short: 'Paused',
    long: 'Paused',
    href: null,
  },
  delayed: {
    tone: 'held',
    short: 'Delayed',
    long: 'Delayed',
    href: null,
  },
  unread: {
    tone: 'held',
    short: 'Not known',
    long: 'State not known',
    href: null,
  },
  'no-endpoint': {
    tone: 'fail',
    short: 'No endpoint',
    long: 'No endpoint delivers here',
    href: '/endpoints',
  },
  unwatched: {
    tone: 'fail',
    short: 'Not watched',
    long: 'The provider is not being checked',
    href: '/overview',
  },
  'key-refused': {
    tone: 'fail',
    short: 'Key rejected',
    long: 'The API key is rejected',
    href: '/overview',
  },
  behind: {
    tone: 'held',
    short: 'Behind',
    long: 'Pages are behind',
    href: '/overview',
  },
  'service-silent': {
    tone: 'held',
    short: 'Provider silent',
    long: 'The provider does not answer',
    href: '/overview',
  },
  'nothing-yet': {
    tone: 'wait',
    short: 'Nothing yet',
    long: 'Nothing has arrived yet',
    href: '/endpoints',
  },
  connected: {
    tone: 'wait',
    short: 'Not shown',
    long: 'State of deliveries not shown',
    href: null,
  },
  'up-to-date': {
    tone: 'done',
    short: 'Up to date',
    long: 'Up to date',
    href: '/timeline',
  },
} as const satisfies Record<Exclude<PageState['kind'], 'missing' | 'perhaps-missing'>, StateWords>
