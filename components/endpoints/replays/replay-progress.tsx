import { SpokenQuarters } from '#components/ui/live/spoken.tsx'
import type { ReplayView } from '#lib/endpoints/replays/replay-view.ts'

/** How far a replay is, as a bar and in figures. */
export function ReplayProgress({ replay }: { readonly replay: ReplayView }) {
  const { done, failed, total } = replay
  return (
    <div>
      <progress
        aria-label="How far it is"
        value={done}
        max={total}
        className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-ink [&::-webkit-progress-bar]:bg-line-strong [&::-webkit-progress-value]:bg-ink"
      />
      <p className="num mt-2 text-sm">
        {figure(done)} of {figure(total)} done
        {failed > 0 && <span className="text-fail">, {figure(failed)} failed</span>}
      </p>
      <SpokenQuarters
        done={done}
        total={total}
        words={`Sent again: ${figure(done)} of ${figure(total)}${failed > 0 ? `, failed: ${figure(failed)}` : ''}`}
      />
    </div>
  )
}

const figure = (count: number) => count.toLocaleString('en')
