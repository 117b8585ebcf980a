import { parseEnvelope } from '../../../lib/deliveries/rules/envelope.ts'
import { statusOf } from '../../../lib/timeline/rules/status.ts'
import type { EventFlag } from '../../../lib/timeline/rules/subject-event.ts'
import type { SubjectLife } from './lives.ts'
import type { TestBed } from './test-bed.ts'

interface EventRow {
  readonly subject: string
  readonly id: string
  readonly type: string
  readonly sub_type: string
  readonly status: string
  readonly rank: number | null
  readonly flags: EventFlag[]
}

/**
 * Compares the status of each life's timeline with the latest of its true events that was received. Throws when one is wrong
 * and nothing says that it is unsure.
 * @param received by life, the position of its latest event that was received
 */
export async function compareStates(
  stage: Pick<TestBed, 'ask'>,
  received: ReadonlyMap<SubjectLife, number>,
): Promise<string> {
  const rows = await stage.ask<EventRow>(
    'SELECT subject_id AS subject, id, type, sub_type, status, rank, flags FROM event ORDER BY subject_id, position',
  )
  const events = Map.groupBy(rows, ({ subject }) => subject)
  const [wrong, unmarked]: [string[], string[]] = [[], []]
  let doubted = 0
  for (const [life, latest] of received) {
    const truth = life.events[latest]?.state
    const timeline = events.get(life.subject) ?? []
    const shown = stateOf(timeline)
    const isMarked = shown?.flags.some((flag) => flag === 'order-unsure' || flag === 'repeat-unsure') ?? false
    const isRight = shown?.sub_type === truth?.subType && shown?.status === truth?.status
    const words = `${life.events.map(({ state }) => state.status).join(' > ')} shown as ${shown?.status} of ${timeline.map(({ status }) => status).join(' > ')}`
    if (!isRight) wrong.push(words)
    if (!isRight && !isMarked) unmarked.push(words)
    if (isRight && isMarked) doubted++
  }
  const share = (count: number) => `${((100 * count) / received.size).toFixed(1)} %`
  const seen = `${received.size} lives: ${wrong.length} (${share(wrong.length)}) end wrong, ${unmarked.length} of them unmarked; ${share(doubted)} end right and marked`
  if (unmarked.length > 0) throw new Error(`${seen}: ${unmarked.slice(0, 5).join('; ')}`)
  return seen
}

/** The event that says where the subject is, by the rule of every page. */
function stateOf(timeline: readonly EventRow[]): EventRow | undefined {
  const { eventId } = statusOf(
    timeline.map(({ id, type, sub_type: subType, status, rank, flags }, position) => {
      const reading = parseEnvelope(Buffer.from(JSON.stringify({ type, subType, data: { status } })))
      if (reading.kind === 'unreadable') throw new Error(reading.why)
      const times = { firstReceivedAt: 0, lastReceivedAt: 0, placedBefore: null, cameAgainAt: null }
      return {
        id,
        fingerprint: '',
        envelope: reading.envelope,
        deliveries: [],
        position,
        rank,
        flags,
        cameAgainId: null,
        ...times,
      }
    }),
  )
  return timeline.find(({ id }) => id === eventId)
}
