import { endpointStatusLabel } from '#components/endpoints/endpoint-labels.ts'
import { gapKindLabels, gapStateLabel, gapTitle } from '#components/endpoints/gaps/gap-labels.ts'
import { headlineFacts } from '#components/timeline/headline.tsx'
import { stepPill } from '#components/transactions/step-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import type { TimeStyle } from '#components/ui/time.tsx'
import { isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import type {
  AttentionItem,
  EndpointAttention,
  TransactionAttention,
} from '#lib/operations/overview/attention-items.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { headlineLine } from '#lib/timeline/labels/headline.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { inSentence } from '#lib/words/labels/formats.ts'
import type { Tone } from '#lib/words/labels/tone.ts'
import { type AttentionInWords, AttentionLine } from './attention-line.tsx'

/** The row shows one attention item: what it is, what is known of it, since when, and a link to its page. */
export function AttentionRow({
  item,
  time,
  snooze,
}: {
  readonly item: AttentionItem
  readonly time: TimeStyle
  /** `snooze` is null for roles that may not snooze. */
  readonly snooze: Action<{ readonly about: string }> | null
}) {
  const { kind, about, since } = item
  return (
    <AttentionLine
      item={{ kind, about, since, latest: latestOf(item), ...wordsOf(item) }}
      time={time}
      snooze={snooze}
    />
  )
}

/** A transaction may get events after it reached its present step. A snooze covers these too. */
const latestOf = (item: AttentionItem) => ('transaction' in item ? item.transaction.lastMoveAt : item.since)

type Words = Pick<AttentionInWords, 'href' | 'title' | 'pill' | 'who' | 'before'>

function wordsOf(item: AttentionItem): Words {
  switch (item.kind) {
    case 'held':
    case 'stuck':
    case 'failed':
    case 'limit-breached':
    case 'conflict':
      return ofTransaction(item)
    case 'gap':
    case 'endpoint':
      if ('endpoint' in item) return ofEndpoint(item.endpoint)
      return {
        href:
          item.kind === 'endpoint' && item.gap.endpoint
            ? `/endpoints/${item.gap.endpoint.uuid}`
            : `/gaps/${item.gap.id}`,
        title: gapTitle(item.gap),
        pill: pillOf(gapStateLabel(item.gap)),
        who: null,
        before: [],
      }
    default:
      return {
        href: subjectPath(item.event.subjectId, isCompanyType(item.event.type)),
        title: eventTypeLabel(item.event.type).label,
        pill: item.event.status === null ? null : pillOf(eventLabel(item.event)),
        who: { userUuid: item.event.entityUuid, email: item.event.userEmail },
        before: [],
      }
  }
}

function ofTransaction({ transaction, before, since }: TransactionAttention): Words {
  const { userEmail, userUuid } = transaction
  return {
    href: subjectPath(transaction.subjectId),
    title: headlineLine(headlineFacts(transaction)),
    pill: stepPill(transaction),
    who: { userUuid, email: userEmail },
    before: before.map((event) => {
      const earlier = formatDuration((Date.parse(since) - Date.parse(event.firstReceivedAt)) / 1000)
      const state = event.status === null ? '' : ` ${inSentence(eventLabel(event).label)}`
      return `${eventTypeLabel(event.type).label}${state} ${earlier} before`
    }),
  }
}

function ofEndpoint({ uuid, name, status }: EndpointAttention['endpoint']): Words {
  return {
    href: `/endpoints/${uuid}`,
    title: gapKindLabels[status === 'auto_disabled' ? 'auto-disabled' : 'disabled'].title(name),
    pill: pillOf(endpointStatusLabel(status)),
    who: null,
    before: [],
  }
}

const pillOf = ({ label, tone }: { readonly label: string; readonly tone: Tone }) => ({ tone, words: label })
