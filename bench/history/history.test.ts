import { expect, it } from 'vitest'
import { type Figures, measure, noFigures } from './measure.ts'
import { simulate } from './simulate.ts'
import { byLastArrival, byRules, type Teller } from './tell.ts'

const transactions = 8_000

/** About twice the rates of `npm run bench -- history`: with this few transactions chance alone moves them that far. */
it('tells simulated histories as they truly were, but for a few', () => {
  const figures = measured(byRules)
  expect(figures.wrongFinal).toBe(0)
  expect(figures.wrongOpen / figures.transactions).toBeLessThan(0.0006)
  expect(figures.merges / figures.events).toBeLessThan(0.0002)
  expect(figures.splits / figures.events).toBeLessThan(0.0002)
  expect(figures.inversions / figures.neighbours).toBeLessThan(0.0015)
})

it('is much nearer to the truth than whoever believes the last arrival', () => {
  const figures = measured(byLastArrival)
  expect(figures.wrongFinal / figures.transactions).toBeGreaterThan(0.01)
  expect(figures.wrongOpen / figures.transactions).toBeGreaterThan(0.002)
  expect(figures.splits / figures.events).toBeGreaterThan(0.004)
  expect(figures.inversions / figures.neighbours).toBeGreaterThan(0.007)
})

it('simulates the same histories for the same seed, and others for another', () => {
  const first = (seed: number) => [...simulate(20, seed).histories]
  expect(first(1)).toEqual(first(1))
  expect(first(1)).not.toEqual(first(2))
})

function measured(tell: Teller): Figures {
  const figures = noFigures()
  const { histories, envelopes } = simulate(transactions, 7)
  for (const history of histories) measure(figures, history, tell, envelopes)
  return figures
}
