import type { ReplayView } from '#lib/endpoints/replays/replay-view.ts'

/** Whether results that a replay had are no longer kept: the first page of them is empty. */
export function areResultsGone(
  { total, failed }: Pick<ReplayView, 'total' | 'failed'>,
  rows: readonly unknown[],
  { start, onlyFailed }: { readonly start: string; readonly onlyFailed: boolean },
): boolean {
  return start === '0' && rows.length === 0 && (onlyFailed ? failed : total) > 0
}
