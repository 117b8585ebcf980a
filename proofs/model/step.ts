import fc from 'fast-check'
import type { Model } from './model.ts'
import type { ModelRun } from './model-run.ts'

export type ModelStep = fc.AsyncCommand<Model, ModelRun>

/** One command: does the same to the sandbox and to the model, and compares what they answer. */
export const modelStep = <Given>(
  name: string,
  given: fc.Arbitrary<Given>,
  run: (model: Model, world: ModelRun, given: Given) => Promise<void>,
): fc.Arbitrary<ModelStep> =>
  given.map((chosen) => ({
    check: () => true,
    toString: () => `${name} ${JSON.stringify(chosen)}`,
    run: (model, world) => run(model, world, chosen),
  }))

/**
 * Picks one of the existing ones, mostly the first, so that more happens to each; or one that does not exist.
 */
export const anyOf = fc.oneof(
  { weight: 12, arbitrary: fc.nat({ max: 1 }) },
  { weight: 4, arbitrary: fc.nat({ max: 7 }) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
)

export const pick = <Item>(items: readonly Item[], choice: number | 'unknown'): Item | undefined =>
  choice === 'unknown' ? undefined : items[choice % items.length]

/** One time in so many; otherwise undefined. */
export const oneIn = <Value>(times: number, arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
