import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { revealableFields, showRecord } from '#lib/access/rules/show-record.ts'
import { countReading } from '#lib/audit/count-reading.ts'
import { parseSubjectId, type Subject, subjectId } from '#lib/deliveries/rules/subject.ts'
import { textParameter } from '#lib/platform/db/text-parameter.ts'
import type { EventDetailsView } from './event-view.ts'
import { readAccount } from './read-account.ts'
import { readDetails } from './read-details.ts'
import type { AccountDetails } from './tables/account-details.ts'

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
