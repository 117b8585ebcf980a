import { type Figures, measure, noFigures } from './history/measure.ts'
import { type History, simulate } from './history/simulate.ts'
import { byLastArrival, byRules } from './history/tell.ts'

const transactions = 100_000
const seed = 20_260_101

/** In %: what the rules are meant to stay at or below. */
const goals = new Map([
  ['wrong_final', 0],
  ['wrong_open', 0.03],
  ['merges', 0.05],
  ['splits', 0.01],
  ['inversions', 0.1],
])

/**
 * The rules of docs/timeline.md against a truth that only the simulator knows, beside a fold that believes whatever
 * arrived last. What each figure means is said in `history/measure.ts`, how a history comes about in
 * `history/simulate.ts`. Says of each goal whether it is met.
 */
export default function history(): void {
  const { histories, envelopes } = simulate(transactions, seed)
  const rules = noFigures()
  const lastArrival = noFigures()
  let again = 0
  for (const one of histories) {
    again += repetitions(one)
    measure(rules, one, byRules, envelopes)
    measure(lastArrival, one, byLastArrival, envelopes)
  }
  const { events, deliveries } = rules
  console.log(
    `${transactions} transactions, ${events} events of which ${percent(again, events)} % repeat one, ${deliveries} deliveries, seed ${seed}`,
  )
  console.log(`last arrival: ${words({ ...goalsOf(lastArrival), ...besides(lastArrival) })}`)
  console.log(`rules:        ${words({ ...goalsOf(rules), ...besides(rules) })}`)
  const found = goalsOf(rules)
  for (const [name, figure] of Object.entries(found)) {
    const goal = goals.get(name) ?? 0
    console.log(`${name} ${Number(figure) <= goal ? 'meets' : 'MISSES'} its goal of ${goal} %`)
  }
  console.log(`history ${words(found)}`)
}

const goalsOf = (figures: Figures) => ({
  wrong_final: percent(figures.wrongFinal, figures.transactions),
  wrong_open: percent(figures.wrongOpen, figures.transactions),
  merges: percent(figures.merges, figures.events),
  splits: percent(figures.splits, figures.events),
  inversions: percent(figures.inversions, figures.neighbours),
})

const besides = (figures: Figures) => ({
  wrong_open_by_clock: percent(figures.wrongOpenMs, figures.openMs),
  wrong_open_strict: percent(figures.wrongOpenStrict, figures.transactions),
})

const percent = (part: number, whole: number) => ((part / whole) * 100).toFixed(4)

const words = (figures: Readonly<Record<string, string>>) =>
  Object.entries(figures)
    .map(([name, figure]) => `${name}=${figure}`)
    .join(' ')

const repetitions = ({ events }: History) =>
  events.length - new Set(events.map(({ fingerprint }) => fingerprint)).size
