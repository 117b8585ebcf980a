import { expect, it } from 'vitest'
import {
  add,
  byLastArrival,
  byRules,
  type Figures,
  measure,
  noFigures,
  type TimelineRule,
} from './measure.ts'
import { type LifeClass, type LifeGroup, lifeClasses, lifeGroups } from './scenarios.ts'
import { simulate } from './simulate.ts'

const [classical] = lifeClasses

/** The limits are about twice the rates of `npm run bench -- history`, because chance alone moves so few lives that far. */
it('shows all but a few simulated transactions as they truly were', () => {
  const figures = measured(classical, byRules, 8_000)
  expect(figures.wrongFinal).toBe(0)
  expect(figures.wrongOpen / figures.lives).toBeLessThan(0.0006)
  expect(figures.merges / figures.events).toBeLessThan(0.0002)
  expect(figures.splits / figures.events).toBeLessThan(0.0002)
  expect(figures.inversions / figures.neighbours).toBeLessThan(0.0015)
})

it('is much nearer to the truth than trusting the last arrival', () => {
  const figures = measured(classical, byLastArrival, 2_000)
  expect(figures.wrongFinal / figures.lives).toBeGreaterThan(0.01)
  expect(figures.wrongOpen / figures.lives).toBeGreaterThan(0.002)
  expect(figures.splits / figures.events).toBeGreaterThan(0.004)
  expect(figures.inversions / figures.neighbours).toBeGreaterThan(0.007)
})

it.each<{ group: LifeGroup; unmarked: number; wrong: number; rightMarked: number }>([
  { group: 'transactions', unmarked: 0.0006, wrong: 0.001, rightMarked: 0.015 },
  { group: 'accounts and KYC', unmarked: 0.005, wrong: 0.005, rightMarked: 0.06 },
  { group: 'KYC that toggles', unmarked: 0.005, wrong: 0.015, rightMarked: 0.2 },
  { group: 'endpoints that change', unmarked: 0.003, wrong: 0.03, rightMarked: 0.05 },
  { group: 'transactions without trouble', unmarked: 0.0001, wrong: 0.0001, rightMarked: 0.01 },
  { group: 'accounts and KYC without trouble', unmarked: 0.0001, wrong: 0.0005, rightMarked: 0.02 },
  { group: 'own outages', unmarked: 0.002, wrong: 0.1, rightMarked: 0.15 },
])('flags the wrong statuses of $group, and few others', ({ group, unmarked, wrong, rightMarked }) => {
  const figures = ofGroup(group, byRules)
  expect(figures.wrongFinalUnmarked).toBe(0)
  expect(figures.wrongOpenUnmarked / figures.lives).toBeLessThan(unmarked)
  expect(figures.wrongFinal / figures.lives).toBeLessThan(0.03)
  expect(figures.wrongOpen / figures.lives).toBeLessThan(wrong)
  expect(figures.rightOpenMarked / figures.lives).toBeLessThan(rightMarked)
})

it('could not do so by believing the last arrival', () => {
  for (const group of lifeGroups) {
    // Where nothing is late, the last arrival is always true.
    if (group.endsWith('without trouble')) continue
    const figures = ofGroup(group, byLastArrival)
    expect(figures.wrongFinalUnmarked / figures.lives).toBeGreaterThan(0.005)
  }
})

it('simulates the same histories for the same seed, and others for another', () => {
  for (const scenario of lifeClasses) {
    const lives = scenario.onlyDelayed ? 200 : 5
    const first = (seed: number) => [...simulate(scenario, lives, seed).histories]
    expect(first(1)).not.toEqual([])
    expect(first(1)).toEqual(first(1))
    expect(first(1)).not.toEqual(first(2))
  }
})

const ofGroup = (group: LifeGroup, rule: TimelineRule) =>
  lifeClasses
    .filter((scenario) => scenario.group === group)
    .map((scenario) => measured(scenario, rule, 600))
    .reduce(add, noFigures())

function measured(scenario: LifeClass | undefined, rule: TimelineRule, lives: number): Figures {
  if (!scenario) throw new Error('No scenario')
  const figures = noFigures()
  const { histories, envelopes } = simulate(scenario, lives, 7)
  for (const history of histories) measure(figures, history, rule, envelopes)
  return figures
}
