import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { bodyVisibility } from '#lib/access/rules/events.ts'
import {
  fieldOf,
  isSameName,
  isSameText,
  type RecordName,
  revealableFields,
} from '#lib/access/rules/records.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { type AuditEntry, type AuditFacts, recordAudit, recordAuditAlone } from '#lib/audit/record-audit.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { normaliseIdentifier } from '#lib/deliveries/rules/identifier.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf } from '#lib/platform/db/statements.ts'
import { pastedText, ReasonSchema, reasonMissing, uuidField } from '#lib/platform/forms/fields.ts'
import { requireWithinLimit } from '#lib/platform/limits/limits.ts'
import { InvalidInput, NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { readPattern, readSettings } from '#lib/platform/settings/settings.ts'
import { findIban } from '#lib/search/rules/iban.ts'
import { refuseWithServiceMessage } from '#lib/service/errors.ts'
import { getUser } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { readAccount } from '#lib/timeline/subject-details.ts'
import { type TransactionRow, toParties } from '#lib/timeline/tables/transaction.ts'
import { limitAccountNumbers } from './limit-account-numbers.ts'

/** Fields of these records may be revealed. */
const revealedRecords = ['transaction', 'account'] as const satisfies readonly RecordName[]

interface RevealedRecord {
  /** The fields that can be masked are here unmasked. */
  readonly fields: object
  /** The record belongs to this user. */
  readonly userUuid: string | null
}

/** The record is a transaction or a customer's own bank account; null when there is none. The caller has checked access. */
async function readRecord(
  name: (typeof revealedRecords)[number],
  uuid: string,
): Promise<RevealedRecord | null> {
  if (name === 'account') {
    const account = await readAccount(uuid)
    return account && { fields: account.details, userUuid: account.userUuid }
  }
  const { rows } = await pool().query<Pick<TransactionRow, 'details' | 'user_uuid'>>(
    'SELECT details, user_uuid FROM transaction WHERE subject_id = $1',
    [subjectId({ kind: 'transaction', id: uuid })],
  )
  const [row] = rows
  return row ? { fields: { parties: toParties(row.details) }, userUuid: row.user_uuid } : null
}

export const RevealFieldSchema = z.object({
  record: z.enum(revealedRecords),
  uuid: uuidField('This names nothing.'),
  field: z.string().max(100),
  reason: ReasonSchema,
})

/**
 * One masked field of a transaction, or of a customer's own bank account, is shown whole. Throws `NotAllowed`,
 * also for a field that the role may not reveal, and `SignInAgain`, `TooMany`, `InvalidInput`.
 */
export async function revealField(
  caller: Caller,
  { record: name, uuid, field, reason: given }: z.output<typeof RevealFieldSchema>,
  source: CallSource,
): Promise<{ readonly value: string }> {
  const reason = await requireReveal(caller, given)
  const record = await readRecord(name, uuid)
  const value = record && fieldOf(record.fields, field)
  if (!record || typeof value !== 'string') throw new NotAllowed()
  if (!revealableFields(caller.role, name, record.fields).includes(field)) throw new NotAllowed()
  const details = { field, person: record.userUuid }
  await recordReveal(caller, { action: 'read.field', target: uuid, reason, details }, source)
  return { value }
}

export const RevealBirthDateSchema = z.object({
  person: uuidField('This names nobody.'),
  reason: ReasonSchema,
})

/**
 * The service is asked for the person's date of birth; nothing of it is kept here. Throws `NotAllowed`,
 * `SignInAgain`, `TooMany`, `InvalidInput`, `Refused`.
 */
export async function revealBirthDate(
  caller: Caller,
  { person, reason: given }: z.output<typeof RevealBirthDateSchema>,
  source: CallSource,
): Promise<{ readonly value: string }> {
  if (visibilityOf(caller.role, 'birth-date') !== 'reveal') throw new NotAllowed()
  const reason = await requireReveal(caller, given)
  const { dateOfBirth } = await getUser(serviceClient(), { userUuid: person }).catch(
    refuseWithServiceMessage('get-user'),
  )
  if (dateOfBirth === null) throw new Refused('no-birth-date')
  const details = { field: 'dateOfBirth', person }
  await recordReveal(caller, { action: 'read.field', target: person, reason, details }, source)
  return { value: dateOfBirth }
}

/**
 * Each reveal of a masked field must pass these checks. Throws `NotAllowed`, `SignInAgain`, `InvalidInput`,
 * `TooMany`. The result is the reason.
 */
async function requireReveal(caller: Caller, given: string): Promise<string> {
  requirePermission(caller, 'reveal-personal-data')
  requireFreshSignIn(caller)
  const reason = await requireReason(given)
  await requireWithinLimit('reveal-per-person', caller.id)
  return reason
}

/** The reason is absent when the visibility table needs none. */
export const RevealReasonSchema = z.preprocess(
  (text) => (text === '' ? undefined : text),
  ReasonSchema.optional(),
)

/** The visibility table may need a reason; the settings may need a ticket in it. Throws `InvalidInput`. */
export async function requireReason(reason: string | undefined): Promise<string> {
  const { revealTicketPattern } = await readSettings()
  if (!reason) throw new InvalidInput({ reason: reasonMissing })
  if (revealTicketPattern !== null && !readPattern(revealTicketPattern)?.test(reason))
    throw new InvalidInput({ reason: `Name the ticket: your admins ask for ${revealTicketPattern}.` })
  return reason
}

interface Reveal extends Pick<AuditEntry, 'action' | 'target' | 'reason'> {
  /** `person` is the owner of the data; null when nobody is known. */
  readonly details: AuditFacts & { readonly person: string | null }
}

/**
 * The audit records a reveal before it happens (nobody may change the entry: `application-role.ts`), and admins are notified once a day for each person. If either
 * fails, nothing is shown.
 */
function recordReveal(caller: Caller, reveal: Reveal, source: CallSource): Promise<void> {
  const { person } = reveal.details
  return inTransaction(pool(), async (tx) => {
    await recordAudit(tx, { ...reveal, actor: caller, outcome: 'done' }, source)
    await tellAdmins(tx, {
      kind: 'data-revealed',
      actor: caller,
      ...(person !== null && { about: person }),
      facts: { person: person === null ? 'somebody unknown' : `user ${person}` },
      onceADay: true,
    })
  })
}

/** A customer may be asked for these fields. */
const matchableFields = [
  'parties.sender.iban',
  'parties.sender.name',
  'parties.beneficiary.accountNumber',
  'parties.beneficiary.name',
] as const

const saidMissing = 'Type what the customer says: at least 2 characters.'
const saidTooLong = 'At most 200 characters.'

export const CheckMatchSchema = z.object({
  transaction: uuidField('This names no transaction.'),
  field: z.enum(matchableFields, 'Choose what to compare.'),
  said: z
    .string(saidMissing)
    .pipe(pastedText(saidTooLong))
    .pipe(z.string().min(2, saidMissing).max(200, saidTooLong)),
})

/**
 * The answer to a guess about a field of a transaction is only yes or no. The audit holds each answer, not the
 * guess. A person has ten tries for a field, some more for all fields, and twenty a day for a value; an account number
 * counts with those that are searched. Throws `NotAllowed`, `TooMany`, `Refused`.
 */
export async function checkMatch(
  caller: Caller,
  { transaction, field, said }: z.output<typeof CheckMatchSchema>,
  source: CallSource,
): Promise<{ readonly matches: boolean }> {
  requirePermission(caller, 'work-on-cases')
  const record = await readRecord('transaction', transaction)
  const held = record && fieldOf(record.fields, field)
  if (!record || typeof held !== 'string') throw new Refused('nothing-to-compare')
  await requireWithinLimit('match-per-field', `${caller.id} ${transaction} ${field}`)
  await requireWithinLimit('match-per-person', caller.id)
  await requireWithinLimit('match-per-value-daily', `${caller.id} ${normaliseIdentifier(held)}`)
  const isName = field.endsWith('.name')
  const number = findIban(said)?.iban ?? said
  if (!isName) await limitAccountNumbers(caller, [number])
  const matches = isName ? isSameName(held, said) : isSameText(held, number)
  const details = { field, matches, person: record.userUuid }
  await recordAuditAlone(
    { actor: caller, action: 'read.match', target: transaction, outcome: 'done', details },
    source,
  )
  return { matches }
}

export const RevealBodySchema = z.object({
  event: uuidField('This names no event.'),
  reason: RevealReasonSchema,
})

/**
 * The raw body of one event, or of a delivery that could not be folded, is shown; its id names it. A role that
 * sees bodies plain gives no reason, but the audit records it as well. Throws `NotAllowed`, `SignInAgain`,
 * `TooMany`, `InvalidInput`, `Refused`.
 */
export async function revealBody(
  caller: Caller,
  { event, reason: given }: z.output<typeof RevealBodySchema>,
  source: CallSource,
): Promise<{ readonly body: string }> {
  requirePermission(caller, 'see-everything')
  const found = await readBody(event)
  if (!found) throw new Refused('body-gone')
  const visibility = bodyVisibility(caller.role, found.type)
  if (visibility !== 'plain' && visibility !== 'reveal') throw new NotAllowed()
  if (visibility === 'reveal') requireFreshSignIn(caller)
  const reason = visibility === 'reveal' ? await requireReason(given) : given
  await requireWithinLimit('reveal-per-person', caller.id)
  const entry = {
    action: 'read.body',
    target: event,
    ...(reason ? { reason } : {}),
    details: { subject: found.subjectId, person: found.person },
  } as const
  if (visibility === 'reveal') await recordReveal(caller, entry, source)
  else await recordAuditAlone({ ...entry, actor: caller, outcome: 'done' }, source)
  return { body: found.body }
}

interface FoundBody {
  readonly type: string | null
  readonly subjectId: string | null
  readonly person: string | null
  readonly body: string
}

async function readBody(id: string): Promise<FoundBody | null> {
  const { rows } = await pool().query<BodyRow>(BODY, [id])
  const [row] = rows
  if (!row?.body) return null
  const parsed = parseEnvelope(row.body)
  const envelope = parsed.kind === 'envelope' ? parsed.envelope : null
  return {
    type: row.type ?? envelope?.type ?? null,
    subjectId: row.subject_id,
    person: row.entity_uuid ?? envelope?.uuid ?? null,
    body: row.body.toString('utf8'),
  }
}

interface BodyRow {
  readonly type: string | null
  readonly subject_id: string | null
  readonly entity_uuid: string | null
  readonly body: Buffer | null
}

const BODY = `
  WITH kept AS MATERIALIZED (
    SELECT type, subject_id, entity_uuid, id, envelope FROM event WHERE id = $1 AND body_left_at IS NULL
  )
  SELECT type, subject_id, entity_uuid, ${bodyOf('kept')} AS body FROM kept
  UNION ALL
  SELECT NULL, NULL, NULL, body FROM delivery JOIN delivery_pending ON delivery_id = id
  WHERE id = $1 AND dead_lettered_at IS NOT NULL
  LIMIT 1`
