import type { Environment, EnvironmentColor } from '#lib/platform/rules/environment.ts'
import type { Tone } from '#lib/words/labels/tone.ts'

/** A stripe with the name stays at the top of every page, so that two installations differ at a glance. Decision 0151. */
export function EnvironmentMark({ environment: { name, color } }: { readonly environment: Environment }) {
  return (
    <aside
      aria-label="Environment"
      data-tone={tones[color]}
      className="pointer-events-none fixed inset-x-0 top-0 z-50 flex h-1 justify-center bg-tone print:hidden"
    >
      <p className="h-fit rounded-b-md bg-tone px-2.5 font-strong text-bg text-xs leading-tight">{name}</p>
    </aside>
  )
}

const tones = {
  grey: 'wait',
  blue: 'move',
  orange: 'held',
  green: 'done',
  red: 'fail',
  violet: 'back',
} as const satisfies Record<EnvironmentColor, Tone>
