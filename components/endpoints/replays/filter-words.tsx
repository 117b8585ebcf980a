import { Link } from '#components/ui/link.tsx'
import type { ReplayFilter } from '#lib/endpoints/replays/replay-forms.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { replayFilterLabels } from './replay-labels.ts'

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
