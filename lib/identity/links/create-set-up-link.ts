import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/request-context.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { advisoryLocks } from '#lib/platform/db/advisory-locks.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { hasAdmin } from './has-admin.ts'
import { insertLink } from './insert-link.ts'
import { linkAddress } from './link-address.ts'
import { withdrawLinks } from './withdraw-links.ts'

/** How long a set-up link is good, in hours. */
export const setUpLinkHours = 24

/** A link by which the first admin joins. Earlier ones end. Null when there is an admin. */
export const createSetUpLink = (pool: pg.Pool, publicUrl: URL): Promise<string | null> =>
  inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.firstAdmin])
    if (await hasAdmin(tx)) return null
    const { rows } = await tx.query<{ id: string }>(`SELECT id FROM access_link WHERE kind = 'set-up'`)
    await withdrawLinks(tx, rows)
    const lifetimeMs = setUpLinkHours * 3_600_000
    const link = await insertLink(tx, { kind: 'set-up', createdBy: commandLine.id, lifetimeMs })
    if (!link) return null
    const about = { actor: commandLine, action: 'link.create', target: link.id, outcome: 'done' } as const
    await recordAudit(tx, { ...about, details: { kind: 'set-up' } }, noCallSource)
    return linkAddress(publicUrl, link.token)
  })
