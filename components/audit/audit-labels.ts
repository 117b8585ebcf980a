import type { AuditAction, AuditEntry } from '#lib/audit/record-audit.ts'
import { ownValue } from '#lib/domain/text/own-value.ts'
import type { Tone } from '#lib/labels/event-labels.ts'

/** What was done, in a few words. An action without words is shown by its name. */
const auditActionLabels = {
  'session.start': 'Signed in',
  'session.end': 'Session ended',
  'session.confirm': 'Confirmed who they are',
  'code.request': 'Code asked for',
  'code.strangers-stopped': 'Strangers stopped asking for codes',
  'code.alarm-seen': 'Alarm about codes seen',
  'user.sign-up': 'Account created',
  'user.add': 'Person added',
  'user.customer-number': 'Customer number changed',
  'user.erase': 'Person erased',
  'user.export': 'Person’s data exported',
  'read.person': 'Read a person’s data',
  'user.import-check': 'Import checked',
  'user.import': 'People imported',
  'user.import-stop': 'Import stopped',
  'user.import-export': 'Result of an import exported',
  'user.share-verification': 'Verification shared',
  'sign-up.confirm-wallet': 'Wallet confirmed',
  'sign-up.decide-wallet': 'Wallet decided on',
  'member.admin': 'Made an admin',
  'member.role': 'Role changed',
  'member.link-identity': 'Single sign-on linked',
  'member.remove': 'Removed from the team',
  'passkey.add': 'Passkey added',
  'passkey.rename': 'Passkey renamed',
  'passkey.remove': 'Passkey removed',
  'member.join': 'Joined the team',
  'member.invite': 'Invited to the team',
  'invitation.withdraw': 'Invitation withdrawn',
  'link.create': 'Link made',
  'link.open': 'Link opened',
  'service.key-refused': 'API key refused by the service',
  'service.key-change': 'API key changed',
  'endpoint.create': 'Endpoint created',
  'endpoint.change': 'Endpoint changed',
  'endpoint.set-status': 'Endpoint switched on or off',
  'endpoint.rotate-secret': 'Signing secret rotated',
  'endpoint.take-over': 'Endpoint taken over',
  'endpoint.delete': 'Endpoint deleted',
  'endpoint.replace': 'Endpoint replaced',
  'endpoint.finish-replacement': 'Replacement finished',
  'endpoint.confirm-secret': 'Secret confirmed as deployed',
  'gap.close': 'Gap closed',
  'gap.reopen': 'Gap opened again',
  'gap.export': 'Transactions of a gap exported',
  'note.add': 'Note written',
  'note.change': 'Note changed',
  'note.remove': 'Note removed',
  'overview.mute': 'Muted on the overview',
  'overview.unmute': 'Unmuted on the overview',
  'delivery.try-again': 'Dead letters retried',
  'replay.start': 'Replay started',
  'replay.stop': 'Replay stopped',
  'replay.resume': 'Replay resumed',
  'replay.export': 'Results of a replay exported',
  'rebuild.start': 'Rebuild started',
  'settings.change': 'Settings changed',
  'settings.sentence': 'Words for customers changed',
  'access.denied': 'Denied',
  search: 'Searched',
  'search.export': 'Answers to many searches exported',
  'transactions.export': 'Transactions of a list exported',
  'accounts.export': 'Accounts of a list exported',
  'companies.export': 'Companies of a list exported',
  'read.transaction': 'Read a transaction',
  'read.subject': 'Read an account or an entity',
  'read.list': 'Read a list of one person or company',
  'read.event': 'Read an event',
  'read.field': 'Revealed a field',
  'read.body': 'Revealed a body',
  'read.match': 'Asked “does this match?”',
  'database.restore': 'Backup restored',
  'audit.begin-chain': 'Chain of the audit begun',
  'audit.remove-reason': 'Reason of an entry removed',
  'audit.verify': 'Audit verified',
  'audit.export': 'Audit exported',
} as const satisfies Record<AuditAction, string>

/** The same for entries that say no more than that it was tried, beside an outcome such as "Refused". */
const triedLabels: Readonly<Partial<Record<AuditAction, string>>> = {
  'session.start': 'Sign-in',
  'user.sign-up': 'Sign-up',
  'user.add': 'Adding a person',
  'user.erase': 'Erasing a person',
  'user.import': 'Importing people',
  'user.share-verification': 'Sharing a verification',
  'invitation.withdraw': 'Withdrawing an invitation',
  'link.open': 'Opening a link',
  'endpoint.create': 'Creating an endpoint',
  'endpoint.change': 'Changing an endpoint',
  'endpoint.set-status': 'Switching an endpoint on or off',
  'endpoint.rotate-secret': 'Rotating the signing secret',
  'endpoint.take-over': 'Taking over an endpoint',
  'endpoint.delete': 'Deleting an endpoint',
  'endpoint.replace': 'Replacing an endpoint',
  'endpoint.finish-replacement': 'Finishing a replacement',
  'endpoint.confirm-secret': 'Confirming a secret as deployed',
  'gap.close': 'Closing a gap',
  'gap.reopen': 'Opening a gap again',
  'database.restore': 'Backup restored, and not said by anybody',
}

/** `isCompany` says whether it was done to a company. */
export function auditActionLabel(action: string, outcome: string, isCompany = false): string {
  if (isCompany && action === 'read.person') return 'Read a company’s data'
  const tried = outcome === 'done' ? undefined : ownValue(triedLabels, action)
  return tried ?? ownValue(auditActionLabels, action) ?? action
}

/** Actions that a filter offers together. */
export const auditGroups = [
  { value: '', label: 'Everything' },
  { value: 'read.', label: 'Who read personal data' },
  { value: 'search', label: 'Searches' },
  { value: 'access.', label: 'Denied' },
  { value: 'session.', label: 'Signing in and out' },
  { value: 'member.', label: 'Team' },
  { value: 'user.', label: 'Users' },
  { value: 'endpoint.', label: 'Endpoints and secrets' },
  { value: 'gap.', label: 'Gaps' },
  { value: 'replay.', label: 'Replays' },
  { value: 'note.', label: 'Notes' },
  { value: 'overview.', label: 'Muted on the overview' },
  { value: 'settings.', label: 'Settings' },
  { value: 'service.', label: 'API key' },
  { value: 'database.', label: 'Restored backups' },
  { value: 'audit.', label: 'The audit itself' },
] as const

export const auditOutcomeLabels = {
  begun: { label: 'Begun', tone: 'move' },
  done: { label: 'Done', tone: 'done' },
  refused: { label: 'Refused', tone: 'held' },
  failed: { label: 'Failed', tone: 'fail' },
  unsure: { label: 'Unsure', tone: 'held' },
} as const satisfies Record<AuditEntry['outcome'], { label: string; tone: Tone }>

export const auditOutcomeLabel = (outcome: string): { readonly label: string; readonly tone: Tone } =>
  ownValue<{ label: string; tone: Tone }>(auditOutcomeLabels, outcome) ?? {
    label: outcome,
    tone: 'wait',
  }
