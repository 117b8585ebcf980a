import 'server-only'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import type { FiguresView } from './figures-view.ts'
import { sumFigures } from './sum-figures.ts'

/** Milliseconds for which a process keeps them, for everybody: they are the same for all. */
const keptMs = 10_000

let kept: { readonly figures: Promise<FiguresView>; readonly until: number } | null = null

/** The figures of the overview, at most ten seconds old. Throws `NotAllowed`. */
export async function readFigures(caller: Caller): Promise<FiguresView> {
  requirePermission(caller, 'see-endpoint-health')
  const now = performance.now()
  if (kept && now < kept.until) return kept.figures
  const figures = sumFigures(Date.now())
  kept = { figures, until: now + keptMs }
  figures.catch(forget)
  return figures
}

function forget(): void {
  kept = null
}
