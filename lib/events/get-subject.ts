import 'server-only'
import { countReading } from '#lib/audit/count-reading.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import type { Role } from '#lib/domain/access/roles.ts'
import { revealableFields, showRecord } from '#lib/domain/access/show-record.ts'
import { parseSubjectId, type Subject, subjectId } from '#lib/domain/delivery/subject.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import type { AccountDetails } from '#lib/tables/account-details.ts'
import type { EventDetailsView } from './event-view.ts'
import { readAccount } from './read-account.ts'
import { readDetails } from './read-details.ts'

/** An account, a person or company, or what names nobody, with its timeline. */
export interface SubjectDetailsView {
  readonly subject: Subject
  /** Of a customer's own bank account; null of anything else. */
  readonly account: AccountView | null
  /** In order. */
  readonly events: readonly EventDetailsView[]
}

/** A customer's own bank account, with the fields that may be asked for whole. */
export interface AccountView extends AccountDetails {
  readonly uuid: string
  readonly revealable: readonly string[]
}

/**
 * One subject that is no transaction, as the caller's role may see it; null when there is none. Throws `NotAllowed`.
 * @param newest how many of its events, the last; all of them by default
 */
export async function getSubject(
  caller: Caller,
  text: string,
  newest: number | null = null,
): Promise<SubjectDetailsView | null> {
  requirePermission(caller, 'see-everything')
  const subject = parseSubjectId(textParameter(text))
  if (!subject || subject.kind === 'transaction') return null
  const events = await readDetails(caller.role, subjectId(subject), { newest })
  if (events.length === 0) return null
  const person = events.findLast(({ entityUuid }) => entityUuid !== null)?.entityUuid ?? null
  await countReading(caller, 'read.subject', subjectId(subject), person)
  const account = subject.kind === 'bank-account' ? await readAccount(subject.id) : null
  return { subject, account: account && toAccountView(caller.role, subject.id, account.details), events }
}

const toAccountView = (role: Role, uuid: string, details: AccountDetails): AccountView => ({
  ...showRecord(role, 'account', { uuid, ...details }),
  revealable: revealableFields(role, 'account', details),
})
