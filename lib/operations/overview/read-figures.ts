import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { FiguresView } from './figures-view.ts'
import { sumFigures } from './sum-figures.ts'

const log = logOf('overview')

/** Milliseconds after which they are summed anew, and for which a page is given those from before meanwhile. */
const freshMs = 10_000
const keptMs = 60_000

interface Kept {
  readonly figures: Promise<FiguresView>
  readonly at: number
}

/** The latest that are there, and those that are being summed: the same for everybody. */
let kept: Kept | null = null
let coming: Kept | null = null

/**
 * The figures of the overview. Who asks when they are older than ten seconds has them summed anew, and waits for that only when
 * they are older than a minute. Throws `NotAllowed`.
 */
export async function readFigures(caller: Caller, sum = sumFigures): Promise<FiguresView> {
  requirePermission(caller, 'see-everything')
  const now = performance.now()
  if (kept && now - kept.at < freshMs) return kept.figures
  const next = coming ?? begin(sum, now)
  return kept && now - kept.at < keptMs ? kept.figures : next.figures
}

function begin(sum: typeof sumFigures, at: number): Kept {
  const next: Kept = { figures: sum(Date.now()), at }
  coming = next
  next.figures
    .then(() => {
      kept = next
    })
    .catch(noting(log)('warn', 'The figures of the overview were not summed'))
    .finally(() => {
      coming = null
    })
  return next
}
