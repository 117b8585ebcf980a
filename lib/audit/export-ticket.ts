import 'server-only'
import crypto from 'node:crypto'
import type { Caller, CallSource } from '#lib/access/caller.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { keyedDigest, keyedDigests } from '#lib/platform/keys/digests-and-seals.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import type { Format } from '#lib/platform/rules/csv.ts'
import { tellAdmins } from './notices/notices.ts'
import { type AuditEntry, recordAudit } from './record-audit.ts'

/** A file may be fetched for this many ms after it was allowed. */
const ticketMs = 60_000

/** This session may fetch the file of this list. */
export interface AllowedList {
  readonly ticket: string
  readonly format: Format
  /** The list will have this many rows; null when only the file will tell. */
  readonly total: Total | null
}

export interface ExportRequest {
  /** The name, such as `user 3f2c…`, identifies the file: its ticket is for no other. */
  readonly file: string
  /** The notice names the file in these words. */
  readonly what: string
  readonly entry: Pick<AuditEntry, 'action' | 'target' | 'details'>
  readonly reason: string
}

/**
 * This session may fetch a file of personal data for one minute. The audit records it and all admins are
 * notified. The use case has checked the permission and the fresh sign-in before.
 */
export async function giveTicket(
  caller: Caller,
  { file, what, entry, reason }: ExportRequest,
  source: CallSource,
): Promise<string> {
  await inTransaction(pool(), async (tx) => {
    await recordAudit(tx, { ...entry, actor: caller, outcome: 'done', reason }, source)
    await tellAdmins(tx, { kind: 'data-exported', actor: caller, reason, facts: { what } })
  })
  const until = Date.now() + ticketMs
  return `${until}.${keyedDigest('export', signedText(caller, file, until)).toString('base64url')}`
}

/** This throws `NotAllowed` unless the session was allowed to fetch this file within the last minute. */
export function requireTicket(caller: Caller, file: string, ticket: string): void {
  const [until = '', signature = ''] = ticket.split('.')
  const given = Buffer.from(signature, 'base64url')
  const isSigned = keyedDigests('export', signedText(caller, file, Number(until))).some(
    (wanted) => given.length === wanted.length && crypto.timingSafeEqual(given, wanted),
  )
  if (!isSigned || !(Number(until) > Date.now())) throw new NotAllowed()
}

const signedText = ({ sessionId }: Caller, file: string, until: number) => `${sessionId} ${until} ${file}`
