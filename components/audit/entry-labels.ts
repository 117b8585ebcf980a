import { subjectPath } from '#components/ui/browser/paths.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { may, type Permission, parseRole, type Role } from '#lib/access/rules/roles.ts'
import type { AuditView } from '#lib/audit/audit-view.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { attentionLabels } from '#lib/operations/labels/attention-labels.ts'
import { isAttentionKind } from '#lib/operations/rules/attention-kinds.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { fieldLabel, subjectLabels } from '#lib/words/labels/subject-labels.ts'

/** An entry is about this target. */
interface AuditTarget {
  /** `word` is the kind of the target; null when the id says it itself, such as a route. */
  readonly word: string | null
  readonly id: string
  /** `path` is the target's page, if it has one that the role may open. */
  readonly path: string | null
}

/** The target of an entry gets its words; null when the entry names none. */
export function auditTarget(role: Role, entry: AuditView): AuditTarget | null {
  const { target } = entry
  if (!target) return null
  const subject = parseSubjectId(target)
  if (subject) {
    const path = may(role, 'see-everything') ? subjectPath(target, entry.isCompany) : null
    const word = entry.isCompany ? kinds.company.word : subjectLabels[subject.kind]
    return { word, id: subject.id, path }
  }
  const found = kindOf(entry)
  const kind = found === 'person' && entry.isCompany ? 'company' : found
  if (!kind) return { word: null, id: target, path: null }
  const { word, folder, needs }: Kind = kinds[kind]
  // The overview writes an endpoint as `endpoint:` and its uuid.
  const id = target.replace(/^endpoint:/, '')
  const path = folder && needs && may(role, needs) ? `${folder}${encodeURIComponent(id)}` : null
  return { word, id, path }
}

interface Kind {
  readonly word: string
  /** The page of each target lies in `folder`, and needs this permission. */
  readonly folder?: string
  readonly needs?: Permission
}

const kinds = {
  person: { word: 'Person', folder: '/users/', needs: 'see-everything' },
  company: { word: 'Company', folder: '/companies/', needs: 'see-everything' },
  transaction: { word: 'Transaction', folder: '/transactions/', needs: 'see-everything' },
  account: { word: 'Bank account', folder: '/accounts/', needs: 'see-everything' },
  event: { word: 'Event' },
  endpoint: { word: 'Endpoint', folder: '/endpoints/', needs: 'see-endpoint-health' },
  address: { word: 'Endpoint that delivers to' },
  gap: { word: 'Missed deliveries', folder: '/gaps/', needs: 'see-endpoint-health' },
  replay: { word: 'Replay', folder: '/replays/', needs: 'replay-deliveries' },
  rebuild: { word: 'Rebuild' },
  import: { word: 'Import', folder: '/users/import/', needs: 'manage-people' },
  erasure: { word: 'Erasure' },
  member: { word: 'Member', folder: '/team/', needs: 'manage-team' },
  invitation: { word: 'Invitation' },
  link: { word: 'Link' },
  search: { word: 'Search' },
  sentence: { word: 'Customer message' },
  entry: { word: 'Entry' },
} as const satisfies Record<string, Kind>

function kindOf({ action, target, targetName, details }: AuditView): keyof typeof kinds | undefined {
  const fact = (name: string) => details.find((one) => one.name === name)?.value
  // Members have their own ids. A member with an account at the service may be named by the account's id instead.
  if (action.startsWith('session.')) return targetName === null ? 'person' : undefined
  if (action === 'read.field') return fieldKind(fact('field') ?? '')
  if (action.startsWith('overview.') && !target?.startsWith('endpoint:'))
    return fact('kind') === 'gap' || fact('kind') === 'endpoint' ? 'gap' : 'event'
  return beginnings.find(([beginning]) => action.startsWith(beginning))?.[1]
}

/** A field that was revealed belongs to a record of this kind. */
function fieldKind(field: string): keyof typeof kinds {
  if (field === 'dateOfBirth') return 'person'
  return field.startsWith('parties.') ? 'transaction' : 'account'
}

/** The beginning of an action decides the kind of its target. The order matters. */
const beginnings: readonly (readonly [beginning: string, kind: keyof typeof kinds])[] = [
  ['endpoint.create', 'address'],
  ['endpoint.', 'endpoint'],
  ['overview.', 'endpoint'],
  ['gap.', 'gap'],
  ['replay.', 'replay'],
  ['rebuild.', 'rebuild'],
  ['note.', 'transaction'],
  ['read.transaction', 'transaction'],
  ['read.match', 'transaction'],
  ['read.event', 'event'],
  ['read.body', 'event'],
  ['read.', 'person'],
  ['user.import', 'import'],
  ['user.erase', 'erasure'],
  ['user.', 'person'],
  ['code.', 'person'],
  ['sign-up.', 'person'],
  // The server's settings name an admin by the account at the service.
  ['member.admin', 'person'],
  ['member.invite', 'invitation'],
  ['invitation.', 'invitation'],
  ['member.', 'member'],
  ['passkey.', 'member'],
  ['link.', 'link'],
  ['search.', 'search'],
  ['settings.sentence', 'sentence'],
  ['audit.', 'entry'],
]

/** Facts of an entry have these labels. `factLabel` makes the label of any other fact from its name. */
const factLabels: Readonly<Record<string, string>> = {
  about: 'About',
  accountNumber: 'Account number',
  by: 'How',
  description: 'Description',
  deliversTo: 'Delivers to',
  endpointUuid: 'Endpoint',
  error: 'The provider’s error',
  fingerprint: 'Fingerprint of the key',
  from: 'From',
  iban: 'IBAN',
  kycShareToken: 'KYC share tokens',
  look: 'Which',
  marked: 'Alarms marked as seen',
  matches: 'Matches',
  max: 'Amount up to',
  method: 'Way to sign in',
  min: 'Amount from',
  minute: 'In the minute from',
  note: 'Note',
  number: 'Customer number',
  outcome: 'Outcome',
  pace: 'Deliveries a second',
  person: 'Person',
  publicSignUp: 'Public sign-up',
  replaces: 'Replaces the endpoint',
  retentionDays: 'Days that events are kept',
  logMonths: 'Months that bodies and events are kept',
  revealTicketPattern: 'What a reason for a reveal must be like',
  said: 'The provider said',
  search: 'Link of the search',
  subscribedEvents: 'Types of events',
  ticketAddress: 'Address of tickets',
  to: 'To',
  url: 'Address',
  verificationUrl: 'Page where customers verify themselves',
  who: 'Who',
  why: 'Reason',
}

/**
 * A fact without a label gets "Subscribed events" from `subscribedEvents`, `subscribed_events` or
 * `subscribed-events`.
 */
export function factLabel(name: string): string {
  const words =
    ownValue(factLabels, name) ??
    name
      .replace(/[_-]+/g, ' ')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The value of a fact becomes words if there are any. */
export function factText(name: string, value: string): string {
  if (value === 'true' || value === 'false') return value === 'true' ? 'yes' : 'no'
  if (name === 'look' && value === '1') return 'those that failed lately'
  if (name === 'kind' && isAttentionKind(value)) return attentionLabels[value].many
  if (name === 'field') return fieldLabel(value) ?? factLabel(value)
  const role = name === 'role' ? parseRole(value) : null
  return role ? roleLabels[role] : value || 'none'
}
