import { subjectPath } from '#components/ui/browser/subject-path.ts'
import { may, type Permission, type Role } from '#lib/access/rules/roles.ts'
import type { AuditView } from '#lib/audit/audit-view.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { subjectLabels } from '#lib/words/labels/subject-labels.ts'

/** What an entry is about. */
export interface AuditTarget {
  /** What kind of thing it is; null for what says that itself, such as a route. */
  readonly word: string | null
  readonly id: string
  /** Its page, where it has one that the role may open. */
  readonly path: string | null
}

/** What an entry is about, in words; null where it names nothing. */
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
  // The overview calls an endpoint `endpoint:` and its uuid.
  const id = target.replace(/^endpoint:/, '')
  const path = folder && needs && may(role, needs) ? `${folder}${encodeURIComponent(id)}` : null
  return { word, id, path }
}

interface Kind {
  readonly word: string
  /** Where the page of each is, and who may open it. */
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
  gap: { word: 'Gap', folder: '/gaps/', needs: 'see-endpoint-health' },
  replay: { word: 'Replay', folder: '/replays/', needs: 'replay-deliveries' },
  rebuild: { word: 'Rebuild' },
  import: { word: 'Import', folder: '/users/import/', needs: 'manage-people' },
  erasure: { word: 'Erasure' },
  member: { word: 'Member', folder: '/team/', needs: 'manage-team' },
  invitation: { word: 'Invitation' },
  link: { word: 'Link' },
  search: { word: 'Search' },
  sentence: { word: 'Sentence' },
  entry: { word: 'Entry' },
} as const satisfies Record<string, Kind>

function kindOf({ action, target, targetName, details }: AuditView): keyof typeof kinds | undefined {
  const fact = (name: string) => details.find((one) => one.name === name)?.value
  // Members have ids of their own, and one with an account at the service may stand there by that one's.
  if (action.startsWith('session.')) return targetName === null ? 'person' : undefined
  if (action === 'read.field') return fieldKind(fact('field') ?? '')
  if (action.startsWith('overview.') && !target?.startsWith('endpoint:'))
    return fact('kind') === 'gap' || fact('kind') === 'endpoint' ? 'gap' : 'event'
  return beginnings.find(([beginning]) => action.startsWith(beginning))?.[1]
}

/** Of what a field was shown whole. */
function fieldKind(field: string): keyof typeof kinds {
  if (field === 'dateOfBirth') return 'person'
  return field.startsWith('parties.') ? 'transaction' : 'account'
}

/** Of what kind the target of an action is, by how the action begins; the order decides. */
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
  // Whom the server's settings make one, they name by the account at the service.
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
