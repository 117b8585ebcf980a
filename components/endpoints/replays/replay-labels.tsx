import { Link } from '#components/ui/link.tsx'
import type { ReplayFilter } from '#lib/endpoints/replays/replay-forms.ts'
import type { ReplayState } from '#lib/endpoints/replays/replays.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** Each state of a replay has a label and a sentence. */
export const replayStateLabels = {
  running: { label: 'Running', tone: 'move', meaning: 'It goes on whether or not this page is open.' },
  stopped: {
    label: 'Stopped',
    tone: 'held',
    meaning: 'Somebody stopped it. It can be resumed.',
  },
  failing: {
    label: 'Gave up',
    tone: 'fail',
    meaning: 'Ten deliveries failed in a row. It can be resumed with the next one.',
  },
  interrupted: {
    label: 'Interrupted',
    tone: 'held',
    meaning: 'The process that ran it has ended. It can be resumed; the last few may be sent twice.',
  },
  done: { label: 'Done', tone: 'done', meaning: 'Nothing is left to send.' },
} as const satisfies Record<ReplayState, { label: string; tone: Tone; meaning: string }>

/** The label says in short where a replay sends. */
export const destinationLabel = (address: string | null): string =>
  address === null ? 'Into this dashboard' : (URL.parse(address)?.host ?? address)

/** Each part of a filter becomes words. */
export function replayFilterLabels(
  filter: Partial<Record<keyof ReplayFilter, string | undefined>>,
): string[] {
  const parts: [value: string | undefined, words: (value: string) => string][] = [
    [filter.from, (value) => `received from ${utc(value)}`],
    [filter.to, (value) => `received before ${utc(value)}`],
    [filter.type, typesLabel],
    [filter.step, (value) => `status ${value}`],
    [filter.endpoint, (value) => `endpoint ${shortId(value)}`],
    [filter.user, (value) => `user ${shortId(value)}`],
    [filter.transaction, (value) => `transaction ${shortId(value)}`],
    [filter.event, (value) => `event ${shortId(value)}`],
    [filter.delivery, (value) => `delivery ${shortId(value)}`],
    [filter.failedIn, (value) => `failed in the replay ${shortId(value)}`],
    [filter.first, () => 'each event’s first delivery'],
    [filter.once, () => 'each event once'],
  ]
  return parts.flatMap(([value, words]) => (value === undefined ? [] : [words(value)]))
}

/** Several types have commas between them. */
export const typesLabel = (types: string): string =>
  types
    .split(',')
    .map((type) => eventTypeLabel(type).label)
    .join(', ')

/** The form asks for UTC, so the answer is shown in UTC. */
const utc = (moment: string) => `${moment.slice(0, 16).replace('T', ' ')} UTC`

/** The words describe a filter and keep ids whole. On the page of its replay, `linked` makes the transaction a link. */
export function FilterWords({
  filter,
  linked = false,
}: {
  readonly filter: ReplayFilter
  readonly linked?: boolean
}) {
  const { transaction, ...others } = filter
  const words = replayFilterLabels(linked ? others : filter)
  return (
    <span className="block first-letter:uppercase">
      {words.map((part, at) => (
        <span key={part} className="inline-block max-w-full">
          {part}
          {at < words.length - 1 && <>,&nbsp;</>}
        </span>
      ))}
      {linked && transaction !== undefined && (
        <>
          {words.length > 0 ? ', transaction ' : 'transaction '}
          <Link
            href={`/transactions/${encodeURIComponent(transaction)}`}
            title={transaction}
            className="mono whitespace-nowrap underline underline-offset-2"
          >
            {shortId(transaction)}
          </Link>
        </>
      )}
    </span>
  )
}
