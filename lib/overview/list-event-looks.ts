import 'server-only'
import { firstUuidv7 } from '#lib/db/partitions.ts'
import { statusUpdate } from '#lib/domain/delivery/event-states.ts'
import { companyTypes } from '#lib/domain/delivery/event-types.ts'
import {
  failedCompanies,
  failedVerifications,
  openChecks,
  passedChecks,
} from '#lib/domain/delivery/passed-checks.ts'
import { type EventLookKind, happenedDays } from '#lib/domain/overview/look-kinds.ts'
import { type ListedLook, listLooks, most, notMuted } from './list-looks.ts'
import { isLastLook } from './standing-looks.ts'

/** Events of one kind in the last days, the oldest first. */
export function listEventLooks(kind: EventLookKind): Promise<ListedLook[]> {
  const from = firstUuidv7(Date.now() - happenedDays * 86_400_000)
  switch (kind) {
    case 'name-mismatch':
      return listLooks(kind, ofType('senderNameMismatch'), [from])
    case 'duplicate-user':
      return listLooks(kind, ofType('duplicateUser'), [from])
    case 'bounced-code':
      return listLooks(kind, ofType('otpNotification', `AND sub_type = 'EMAIL_DELIVERY_FAILED'`), [from])
    case 'aml':
      return listLooks(kind, ofType('AML', `AND ${stateSaid} <> ALL($3) AND ${isLatestOfItsType}`), [
        from,
        [...passedChecks, ...openChecks],
      ])
    case 'failed-kyc':
      return listLooks(kind, standingAt(), [['KYC'], failedVerifications, happenedDays])
    case 'failed-account':
      return listLooks(kind, FAILED_ACCOUNTS, [from])
    case 'failed-company':
      return listLooks(kind, standingAt(isLastLook([kind])), [companyTypes, failedCompanies, happenedDays])
  }
}

const listed = 'id::text AS about, first_received_at AS since'
const notMutedHere = notMuted('id::text', 'first_received_at')

const ofType = (type: string, condition = '') => `
  SELECT ${listed} FROM event WHERE type = '${type}' AND id >= $2 ${condition} AND ${notMutedHere}
  ORDER BY id LIMIT ${most}`

/** As `stateOf` has it of a type that says its state: null, which is listed nowhere, where neither says one. */
const stateSaid = `COALESCE(status, NULLIF(sub_type, '${statusUpdate}'))`

/** What was said of the same subject later counts instead. */
const isLatestOfItsType = `NOT EXISTS (
  SELECT FROM event AS later WHERE later.subject_id = event.subject_id AND later.type = event.type
    AND later.position > event.position)`

/**
 * By where each stands: the events of all who passed are many. Each type and state in the order of its index.
 * @param which of the rows are listed, as SQL of `standing`
 */
const standingAt = (which = 'true') => `
  SELECT stood.about, stood.since FROM unnest($2::text[]) AS asked (type), unnest($3::text[]) AS failed (state), LATERAL (
    SELECT event_id::text AS about, last_move_at AS since FROM standing
    WHERE standing.type = asked.type AND standing.state = failed.state
      AND last_move_at >= now() - $4 * interval '1 day' AND ${notMuted('event_id::text', 'last_move_at')} AND ${which}
    ORDER BY last_move_at LIMIT ${most}
  ) AS stood
  ORDER BY since LIMIT ${most}`

/** In the words of the index `event_failed_account_idx`. */
const FAILED_ACCOUNTS = `
  SELECT ${listed} FROM event
  WHERE type IN ('unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount')
    AND status IN ('FAILED', 'FAILED_CREATION') AND id >= $2 AND ${isLatestOfItsType} AND ${notMutedHere}
  ORDER BY id LIMIT ${most}`
