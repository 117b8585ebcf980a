'use client'

import { useLive } from './live.tsx'
import type { LiveState } from './live-feed.ts'

/** The connection's state, in a word and a sign; paused, a click goes on. */
export function LiveIndicator() {
  const { state, resume } = useLive()
  const { word, tone, title } = states[state]
  const shown = (
    <>
      <span
        data-tone={tone}
        className={`tone-dot ${state === 'live' ? 'rounded-full' : 'rounded-dot'} ${state === 'reconnecting' ? 'animate-breathe' : ''}`}
        aria-hidden
      />
      {word}
    </>
  )
  if (state === 'paused') {
    return (
      <button type="button" onClick={resume} title={title} className={`${className} hover:text-text`}>
        {shown}
        <span className="sr-only">, resume</span>
      </button>
    )
  }
  return (
    <span role="status" title={title} className={className}>
      {shown}
    </span>
  )
}

const className = 'flex items-center gap-2 whitespace-nowrap rounded-md'

const states = {
  connecting: { word: 'Connecting…', tone: 'wait', title: 'Opening the connection for changes' },
  live: { word: 'Live', tone: 'done', title: 'What arrives is shown at once' },
  reconnecting: {
    word: 'Reconnecting…',
    tone: 'held',
    title: 'The connection is broken. Nothing is lost: what arrives meanwhile is shown as soon as it is back',
  },
  delayed: {
    word: 'Delayed',
    tone: 'held',
    title:
      'Too many pages are open at once. This one looks for changes every few seconds; close others to have it live',
  },
  paused: { word: 'Paused', tone: 'held', title: 'What arrives is held back. Click to go on' },
} as const satisfies Record<LiveState, { word: string; tone: string; title: string }>
