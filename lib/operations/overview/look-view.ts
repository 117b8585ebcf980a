import 'server-only'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { EventView } from '#lib/timeline/event-view.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import type { EventLookKind, LookKind, TransactionLookKind } from '../rules/look-kinds.ts'

/** One thing that may need a look. */
export type LookView = TransactionLook | EventLook | GapLook | EndpointLook

interface Look {
  /** What a mute names it by. */
  readonly about: string
  /** Since when it waits, or when it happened; ISO 8601, a time of receipt. */
  readonly since: string
}

export interface TransactionLook extends Look {
  readonly kind: TransactionLookKind
  readonly transaction: TransactionView
  /** Of a held one: what was said of its person shortly before, the latest first. */
  readonly before: readonly EventView[]
}

export interface EventLook extends Look {
  readonly kind: EventLookKind
  readonly event: EventView
}

export interface GapLook extends Look {
  /** `endpoint`: it lasts because the endpoint is not active. */
  readonly kind: 'gap' | 'endpoint'
  readonly gap: GapView
}

/** An endpoint that is off and has no open gap. */
export interface EndpointLook extends Look {
  readonly kind: 'endpoint'
  /** `name` is null when no version that keeps it has seen the endpoint. */
  readonly endpoint: { readonly uuid: string; readonly name: string | null; readonly status: string }
}

/** An endpoint that is not active: of a gap that lasts because of that, or of none. */
export type EndpointOffLook = (GapLook | EndpointLook) & {
  /** Null while nobody has seen it off. */
  readonly offSince: EndpointView['statusSince']
}

/** How many there are of a kind, and the oldest of them. */
export interface LooksOfKind {
  readonly kind: LookKind
  readonly total: Total
  readonly oldest: readonly LookView[]
}

/** Something that somebody muted. */
export interface MuteView {
  readonly kind: LookKind
  readonly about: string
  /** Null for roles that read no free text. */
  readonly note: string | null
  readonly by: string
  /** ISO 8601 */
  readonly at: string
  /** Where its page is found; null when it has gone. */
  readonly subjectId: string | null
}
