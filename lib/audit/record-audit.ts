import 'server-only'
import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { CallSource } from '#lib/access/caller.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { jsonParameter } from '#lib/platform/db/statements.ts'
import { reasonDigest } from './chain.ts'

/** Each of these actions leaves an audit entry. */
export type AuditAction =
  | 'session.start'
  | 'session.end'
  | 'session.confirm'
  | 'member.remove'
  | 'passkey.add'
  | 'passkey.rename'
  | 'passkey.remove'
  | 'code.request'
  | 'code.strangers-stopped'
  | 'code.alarm-seen'
  | 'user.sign-up'
  | 'user.share-verification'
  | 'sign-up.confirm-wallet'
  | 'sign-up.decide-wallet'
  | 'user.add'
  | 'user.customer-number'
  | 'user.import-check'
  | 'user.import'
  | 'user.import-stop'
  | 'user.import-export'
  | 'user.erase'
  | 'user.export'
  | 'read.person'
  | 'member.admin'
  | 'member.join'
  | 'member.role'
  | 'member.link-identity'
  | 'member.move-issuer'
  | 'member.invite'
  | 'invitation.withdraw'
  | 'link.create'
  | 'link.open'
  | 'service.key-refused'
  | 'service.key-change'
  | 'service.move'
  | 'endpoint.create'
  | 'endpoint.change'
  | 'endpoint.set-status'
  | 'endpoint.rotate-secret'
  | 'endpoint.take-over'
  | 'endpoint.delete'
  | 'endpoint.replace'
  | 'endpoint.finish-replacement'
  | 'endpoint.confirm-secret'
  | 'gap.close'
  | 'gap.reopen'
  | 'gap.export'
  | 'note.add'
  | 'note.change'
  | 'note.remove'
  | 'overview.mute'
  | 'overview.unmute'
  | 'delivery.try-again'
  | 'replay.start'
  | 'replay.stop'
  | 'replay.resume'
  | 'replay.export'
  | 'rebuild.start'
  | 'log.remove-months'
  | 'log.accept-loss'
  | 'settings.change'
  | 'settings.sentence'
  | 'mail.test'
  | 'alert.acknowledge'
  | 'alert.unacknowledge'
  | 'alert.export'
  | 'alert.rule-change'
  | 'alert.channel-add'
  | 'alert.channel-change'
  | 'alert.channel-remove'
  | 'alert.channel-test'
  | 'alert.receive'
  | 'access.denied'
  | 'search'
  | 'search.export'
  | 'transactions.export'
  | 'accounts.export'
  | 'companies.export'
  | 'read.transaction'
  | 'read.subject'
  | 'read.list'
  | 'read.event'
  | 'read.field'
  | 'read.body'
  | 'read.match'
  | 'database.restore'
  | 'audit.begin-chain'
  | 'audit.remove-reason'
  | 'audit.verify'
  | 'audit.export'

/**
 * The facts explain an entry later. They hold no secret and no code, and name people only by id, because
 * entries are kept for ever.
 */
export type AuditFacts = Record<string, string | number | boolean | null | readonly string[]>

export interface AuditEntry {
  /** `actor` is null when nobody is known. */
  readonly actor: { readonly id: string; readonly role: string | null } | null
  readonly action: AuditAction
  /** `target` is the id of the thing that was changed. */
  readonly target?: string
  /** `begun`: written before the service is asked; another entry says how it ended. `unsure`: the answer was lost. */
  readonly outcome: 'begun' | 'done' | 'refused' | 'failed' | 'unsure'
  /** The actor wrote this reason. It is kept beside the entry, because it is removed with the person whom it is about. */
  readonly reason?: string
  readonly details?: AuditFacts
  /** The change holds the values before and after. */
  readonly change?: { readonly before: AuditFacts; readonly after: AuditFacts }
}

/** The actor is anybody who may run commands or set variables on the server; the directory does not know them. */
export const commandLine = { id: 'command line', role: null }

/**
 * An entry says who did what, when, from where and why. It is written in the transaction of the change: both are kept, or
 * neither. Nothing else adds to the audit, and no code reads it to decide: such data has its own table.
 */
export async function recordAudit(
  tx: Transaction,
  { actor, action, target, outcome, reason, details, change }: AuditEntry,
  { ip, userAgent }: CallSource,
): Promise<void> {
  const salt = reason === undefined ? null : crypto.randomBytes(saltBytes)
  await tx.query(INSERT, [
    uuidv7(),
    actor?.id,
    actor?.role,
    action,
    target,
    outcome,
    jsonParameter({ ...details, ...change }),
    ip,
    userAgent,
    expiryDays(action, outcome),
    reason,
    salt,
    salt && reasonDigest(salt, reason ?? ''),
  ])
}

/** The salt is long enough that nobody finds a removed reason by guessing. */
const saltBytes = 16

/** An entry goes after this many days; null means never. Only entries that anybody can cause go. */
const expiryDays = (action: AuditAction, outcome: AuditEntry['outcome']): number | null =>
  outcome === 'refused' && ofAnybody.has(action) ? refusedSignInDays : null

const ofAnybody: ReadonlySet<AuditAction> = new Set(['session.start', 'link.open', 'access.denied'])

export const refusedSignInDays = 90

/** The entry has its own transaction, because nothing changes here, such as for a refusal or a call of the service. */
export const recordAuditAlone = (entry: AuditEntry, source: CallSource): Promise<void> =>
  inTransaction(pool(), (tx) => recordAudit(tx, entry, source))

const INSERT = `
  WITH entry AS (
    INSERT INTO audit (id, actor, actor_role, action, target, outcome, details, ip, user_agent, expires_at, reason_digest)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + $10 * interval '1 day', $13)
  )
  INSERT INTO audit_reason (entry_id, text, salt) SELECT $1, $11, $12 WHERE $11::text IS NOT NULL`
