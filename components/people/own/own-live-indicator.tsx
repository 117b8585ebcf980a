'use client'

import { clsx } from 'clsx'
import { useWords } from '#components/ui/browser/words.tsx'
import { useLive } from '#components/ui/live/live.tsx'
import { Spoken } from '#components/ui/live/spoken.tsx'

/**
 * A word and a sign say whether a customer's page follows what happens. A phone shows only the sign while all is
 * well, because words of different lengths would move the header by a line.
 */
export function OwnLiveIndicator() {
  const { state } = useLive()
  const words = useWords()
  const shown = state === 'paused' ? 'live' : state
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <span
        data-tone={tones[shown]}
        className={`tone-dot ${shown === 'live' ? 'rounded-full' : 'rounded-dot'} ${shown === 'reconnecting' ? 'animate-breathe' : ''}`}
        aria-hidden
      />
      <span aria-hidden className={clsx(isWell(shown) && 'max-sm:sr-only')}>
        {words(`ui.live.${shown}`)}
      </span>
      <Spoken words={words(`ui.live.${shown}`)} />
    </span>
  )
}

const isWell = (state: keyof typeof tones) => state === 'connecting' || state === 'live'

const tones = { connecting: 'wait', live: 'done', reconnecting: 'held', delayed: 'held' } as const
