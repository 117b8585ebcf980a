import { endpointStatusLabel } from '#components/endpoints/endpoint-labels.ts'
import { gapKindLabels, gapStateLabel, gapTitle } from '#components/endpoints/gaps/gap-labels.ts'
import { headlineFacts } from '#components/timeline/headline.tsx'
import { stepPill } from '#components/transactions/step-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import type { TimeStyle } from '#components/ui/time.tsx'
import { isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import type { EndpointLook, LookView, TransactionLook } from '#lib/operations/overview/looks.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { headlineLine } from '#lib/timeline/labels/headline.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { inSentence } from '#lib/words/labels/formats.ts'
import type { Tone } from '#lib/words/labels/tone.ts'
import { type LookInWords, LookLine } from './look-line.tsx'

/** The row shows one attention item: what it is, what is known of it, since when, and a link to its page. */
export function LookRow({
  look,
  time,
  mute,
}: {
  readonly look: LookView
  readonly time: TimeStyle
  /** `mute` is null for roles that may not snooze. */
  readonly mute: Action<{ readonly about: string }> | null
}) {
  const { kind, about, since } = look
  return (
    <LookLine
      look={{ kind, about, since, latest: latestOf(look), ...wordsOf(look) }}
      time={time}
      mute={mute}
    />
  )
}

/** A transaction may get events after it reached its present step. A snooze covers these too. */
const latestOf = (look: LookView) => ('transaction' in look ? look.transaction.lastMoveAt : look.since)

type Words = Pick<LookInWords, 'href' | 'title' | 'pill' | 'who' | 'before'>

function wordsOf(look: LookView): Words {
  switch (look.kind) {
    case 'held':
    case 'stuck':
    case 'failed':
    case 'limit-breached':
    case 'conflict':
      return ofTransaction(look)
    case 'gap':
    case 'endpoint':
      if ('endpoint' in look) return ofEndpoint(look.endpoint)
      return {
        href:
          look.kind === 'endpoint' && look.gap.endpoint
            ? `/endpoints/${look.gap.endpoint.uuid}`
            : `/gaps/${look.gap.id}`,
        title: gapTitle(look.gap),
        pill: pillOf(gapStateLabel(look.gap)),
        who: null,
        before: [],
      }
    default:
      return {
        href: subjectPath(look.event.subjectId, isCompanyType(look.event.type)),
        title: eventTypeLabel(look.event.type).label,
        pill: look.event.status === null ? null : pillOf(eventLabel(look.event)),
        who: { userUuid: look.event.entityUuid, email: look.event.userEmail },
        before: [],
      }
  }
}

function ofTransaction({ transaction, before, since }: TransactionLook): Words {
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

function ofEndpoint({ uuid, name, status }: EndpointLook['endpoint']): Words {
  return {
    href: `/endpoints/${uuid}`,
    title: gapKindLabels[status === 'auto_disabled' ? 'auto-disabled' : 'disabled'].title(name),
    pill: pillOf(endpointStatusLabel(status)),
    who: null,
    before: [],
  }
}

const pillOf = ({ label, tone }: { readonly label: string; readonly tone: Tone }) => ({ tone, words: label })
