import 'server-only'
import type { ServerResponse } from 'node:http'
import { ownCounter, ownHistogram } from '../metrics.ts'

const answers = ownCounter({
  name: 'rampart_page_answers_total',
  help: 'Answers to people, by the first digit of their status',
  labelNames: ['status'],
})

const seconds = ownHistogram(
  {
    name: 'rampart_page_answer_seconds',
    help: 'Time from the head of a request of people to the end of its answer',
  },
  [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
)

// A rate needs a value before the first error.
for (const digit of [2, 3, 4, 5]) answers.inc({ status: `${digit}xx` }, 0)

/** The answer is counted when it is complete, and not when the browser went away before. */
export function countPageAnswer(response: ServerResponse): void {
  const began = performance.now()
  response.once('finish', () => {
    answers.inc({ status: `${Math.floor(response.statusCode / 100)}xx` })
    seconds.observe((performance.now() - began) / 1_000)
  })
}
