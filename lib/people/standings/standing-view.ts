import 'server-only'
import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { showValue, visibilityOf } from '#lib/access/rules/visibility.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import type { EventFilterFlag } from '#lib/timeline/rules/subject-event.ts'
import { type StandingRow, standingTable } from '#lib/timeline/tables/standing.ts'
import { columnsOf } from '#lib/timeline/tables/table.ts'

/** For a SELECT: what `toStandingView` reads. */
export const standingColumns = columnsOf(standingTable)

/** Where an account, a person or a company stands by the events of one type. Times are ISO 8601, times of receipt. */
export interface StandingView {
  readonly subjectId: string
  /** The uuid of the account, person or company. */
  readonly id: string
  readonly type: EventType
  /** Null when no event gave one, or for roles that may not know. */
  readonly state: string | null
  /** Other roles see more of it. */
  readonly restricted: boolean
  readonly currency: string | null
  readonly entityUuid: string | null
  /** From the directory, of the user it concerns. */
  readonly userEmail: string | null
  readonly startedAt: string
  readonly lastMoveAt: string
  /** In lists: on what it hangs that it stands there. */
  readonly doubt?: StandingDoubt | null
}

/** The flag of an event that may say otherwise; `came-again`: nobody knows whether that happened again. */
export type StandingDoubt = Exclude<EventFilterFlag, 'conflict'>

/** As this role may see it. */
export function toStandingView(
  role: Role,
  row: StandingRow,
  emails: ReadonlyMap<string, string> = new Map(),
): StandingView {
  const { says } = eventRules(row.type)
  return {
    subjectId: row.subject_id,
    id: parseSubjectId(row.subject_id)?.id ?? row.subject_id,
    type: row.type,
    state: showValue(role, says, row.state),
    restricted: !['plain', 'known'].includes(visibilityOf(role, says)),
    currency: row.currency,
    entityUuid: row.entity_uuid,
    userEmail: showValue(role, 'person', emails.get(row.entity_uuid ?? '') ?? null),
    startedAt: row.started_at.toISOString(),
    lastMoveAt: row.last_move_at.toISOString(),
  }
}
