'use client'

import { Pause, Play } from 'lucide-react'
import { Button } from '#components/ui/button.tsx'
import { useLive } from '#components/ui/live/live.tsx'
import { waitingWords } from '#components/ui/shared/total-label.ts'

/** The button holds new events back while somebody reads, and lets them in again. */
export function TimelineActions() {
  const { state, waiting, pause, resume } = useLive()
  const paused = state === 'paused'
  const Icon = paused ? Play : Pause
  return (
    <Button variant={paused ? 'primary' : 'secondary'} onClick={paused ? resume : pause}>
      <Icon aria-hidden />
      {paused ? 'Resume' : 'Pause'}
      {paused && waiting !== 0 && <span className="num">· {waitingWords(waiting)}</span>}
    </Button>
  )
}
