import 'server-only'
import { ownCounter, ownHistogram } from '#lib/platform/metrics.ts'
import { refusalStatuses } from '../rules/refusal-reasons.ts'
import type { IngestAnswer } from './request-and-answer.ts'

const answers = ownCounter({
  name: 'rampart_delivery_answers_total',
  help: 'Requests of senders, by why they were answered so; stored means that the delivery is safe on disk',
  labelNames: ['reason', 'status'],
})

const seconds = ownHistogram(
  { name: 'rampart_delivery_answer_seconds', help: 'Time from the head of a request to its answer' },
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
)

// A rate needs a value before the first refusal.
for (const [reason, status] of Object.entries({ stored: 200, ...refusalStatuses }))
  answers.inc({ reason, status: String(status) }, 0)

export function countAnswer({ reason, status }: IngestAnswer, ms: number): void {
  answers.inc({ reason, status: String(status) })
  seconds.observe(ms / 1_000)
}
