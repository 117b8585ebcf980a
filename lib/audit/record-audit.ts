import 'server-only'
import { uuidv7 } from 'uuidv7'
import type { CallSource } from '#lib/auth/request-context.ts'
import { prisma } from '#lib/db/prisma.ts'

/** Everything that leaves an audit entry. */
export type AuditAction =
  | 'session.start'
  | 'session.end'
  | 'code.request'
  | 'user.sign-up'
  | 'service.key-refused'
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
  | 'delivery.try-again'
  | 'replay.start'
  | 'replay.stop'
  | 'replay.resume'

export interface AuditEntry {
  /** Null when nobody is known. */
  readonly actor: { readonly userUuid: string; readonly role: string | null } | null
  readonly action: AuditAction
  /** The id of what it was done to. */
  readonly target?: string
  /** `begun`: before the service is asked; another entry says how it ended. `unsure`: its answer was lost. */
  readonly outcome: 'begun' | 'done' | 'refused' | 'failed' | 'unsure'
  /** Why, in the actor's words. */
  readonly reason?: string
  /** Facts to understand it later; no secret, no code. */
  readonly details?: Record<string, string | number | boolean | null | readonly string[]>
}

/** Whoever may use the database by hand: nobody that the directory knows. */
export const commandLine = { userUuid: 'command line', role: null }

/** Writes down who did what, when, from where, why. The only place that adds to the audit. */
export async function recordAudit(
  entry: AuditEntry,
  { ip, userAgent }: CallSource,
  database = prisma(),
): Promise<void> {
  await database.audit.create({
    data: {
      id: uuidv7(),
      actor: entry.actor?.userUuid ?? null,
      actorRole: entry.actor?.role ?? null,
      action: entry.action,
      target: entry.target ?? null,
      outcome: entry.outcome,
      reason: entry.reason ?? null,
      details: { ...entry.details },
      ip,
      userAgent,
    },
  })
}
