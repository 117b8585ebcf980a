import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { mayChangeAudit } from '#lib/platform/db/application-role.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/settings.ts'
import { lastGivenHead } from './heads.ts'
import { chainFaultText } from './labels/chain-faults.ts'
import { recordAuditAlone } from './record-audit.ts'
import { verifyChainAlone } from './verify-chain.ts'

const log = logOf('audit')

/** The last check of the whole chain found this. */
export interface ChainCheck {
  /** ISO 8601. */
  readonly at: string
  readonly links: number
  /** These entries are older than the chain, which does not protect them. */
  readonly older: number
  /** The reasons of these entries were removed with a person. */
  readonly reasonsRemoved: number
  readonly faultCount: number
  /** The faults are sentences; only the first ten are kept. */
  readonly faults: readonly string[]
}

export interface ChainState {
  /** `check` is null until the first check. */
  readonly check: ChainCheck | null
  /** This many entries were added after the checked ones. */
  readonly since: number
  /** This many of them are not about a check of the chain. */
  readonly othersSince: number
  /** False when the application's own role could change the audit. */
  readonly isProtected: boolean
}

/** Throws `NotAllowed`. */
export async function readChainState(caller: Caller): Promise<ChainState> {
  requirePermission(caller, 'read-audit')
  const check = await readChainCheck(pool())
  const { rows } = await pool().query<Pick<ChainState, 'since' | 'othersSince'>>(SINCE, [check?.links ?? 0])
  const { since = 0, othersSince = 0 } = rows[0] ?? {}
  return { check, since, othersSince, isProtected: !(await mayChangeAudit(pool())) }
}

/** The last check of the chain is null until the first one. */
export const readChainCheck = async (database: Pick<pg.Pool, 'query'>): Promise<ChainCheck | null> =>
  CheckSchema.safeParse(await readSettingRow(database, rowKey)).data ?? null

const SINCE = `
  SELECT count(*)::int AS since, count(*) FILTER (WHERE action IS DISTINCT FROM 'audit.verify')::int AS "othersSince"
  FROM audit_link AS link LEFT JOIN audit ON audit.id = link.entry_id WHERE link.position > $1`

/** The whole chain is checked now. Throws `NotAllowed`, and `Refused` while another check runs. */
export async function checkChainNow(caller: Caller, _form: object, source: CallSource): Promise<ChainCheck> {
  requirePermission(caller, 'read-audit')
  const check = await checkChain(pool())
  if (!check) throw new Refused('chain-check-runs')
  const details = { links: check.links, faults: check.faultCount }
  await recordAuditAlone({ actor: caller, action: 'audit.verify', outcome: 'done', details }, source)
  return check
}

/** The server checks the chain once a day, for the first time a minute after its start. */
export function startCheckingChain(database: pg.Pool): () => void {
  const check = () =>
    void checkChain(database).catch(
      noting(log)('warn', 'The audit chain was not verified; it is tried again tomorrow'),
    )
  const first = setTimeout(check, 60_000).unref()
  const daily = setInterval(check, 86_400_000).unref()
  return () => {
    clearTimeout(first)
    clearInterval(daily)
  }
}

/** The result is null while another process checks. */
async function checkChain(database: pg.Pool): Promise<ChainCheck | null> {
  const given = lastGivenHead()
  const report = await verifyChainAlone(database, given ? [given] : [])
  if (report === null) return null
  const { length, older, reasonsRemoved, faults, faultCount } = report
  const check: ChainCheck = {
    at: new Date().toISOString(),
    links: Number(length),
    older,
    reasonsRemoved,
    faultCount,
    faults: faults.slice(0, 10).map(chainFaultText),
  }
  if (faultCount > 0)
    log.error({ faults: faultCount }, 'The audit was changed past Rampart: see the page Audit')
  await keepSettingRow(database, rowKey, check)
  return check
}

const rowKey = 'audit-check'

const CheckSchema = z.object({
  at: z.iso.datetime(),
  links: z.number(),
  older: z.number(),
  reasonsRemoved: z.number().default(0),
  faultCount: z.number(),
  faults: z.array(z.string()),
})
