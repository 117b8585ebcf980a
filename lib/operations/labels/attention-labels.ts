import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import type { AttentionKind } from '../rules/attention-kinds.ts'

/** Each kind of attention item has a label for the filter and its rows, and a name for dialogs. */
export const attentionLabels = {
  held: { many: 'On hold', one: 'this hold', tone: 'held' },
  stuck: { many: 'Stuck', one: 'this transaction', tone: 'held' },
  gap: { many: 'Missed deliveries', one: 'these missed deliveries', tone: 'held' },
  endpoint: { many: 'Endpoints off', one: 'this endpoint', tone: 'fail' },
  failed: { many: 'Failed', one: 'this failure', tone: 'fail' },
  'limit-breached': { many: 'Below minimum', one: 'this transaction', tone: 'fail' },
  conflict: { many: 'Contradictions', one: 'this contradiction', tone: 'fail' },
  'name-mismatch': { many: 'Name mismatches', one: 'this mismatch', tone: 'held' },
  'duplicate-user': { many: 'Duplicate users', one: 'this duplicate', tone: 'held' },
  aml: { many: 'AML checks', one: 'this check', tone: 'fail' },
  'failed-kyc': { many: 'Failed verifications', one: 'this verification', tone: 'fail' },
  'failed-account': { many: 'Failed accounts', one: 'this account', tone: 'fail' },
  'failed-company': { many: 'Failed companies', one: 'this company', tone: 'fail' },
  'bounced-code': { many: 'Bounced codes', one: 'this bounced e-mail', tone: 'fail' },
} as const satisfies Record<AttentionKind, { many: string; one: string; tone: Tone }>
