import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { liftLimits } from '#lib/platform/db/connect.ts'
import { rollBack } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import {
  type ChainHead,
  type ChainLink,
  entryDigest,
  type KeptReason,
  linkDigest,
  noDigest,
  reasonDigest,
  type StoredEntry,
} from './chain.ts'
import type { ChainFault, ChainRestore } from './labels/chain-faults.ts'
import { type AuditAction, commandLine } from './record-audit.ts'

export interface ChainReport {
  /** `length` is the last position; 0 for an empty chain. */
  readonly length: bigint
  /** These entries are present. */
  readonly entries: number
  /** These entries expired when their time was over. */
  readonly expired: number
  /** These entries are older than the chain, which does not protect them. */
  readonly older: number
  /** These reasons were removed with a person. */
  readonly reasonsRemoved: number
  /** The chain agrees with this many given heads. */
  readonly heads: number
  /** Entries of the chain name these restored backups, in order. */
  readonly restores: readonly ChainRestore[]
  /** Only the first hundred faults are listed, in order. */
  readonly faults: readonly ChainFault[]
  readonly faultCount: number
}

/** Further faults are only counted. */
const mostFaults = 100
const linksOfStep = 1_000

/** An entry is linked when it is committed, so its time may be this many ms earlier. No transaction of ours lasts longer. */
const longestTransaction = 3_600_000

/**
 * The whole chain is read as of one moment; entries that were changed, removed or added are found. A cut end or
 * a rewritten chain is found only with heads that were kept elsewhere.
 */
export function verifyChain(
  pool: pg.Pool,
  heads: readonly ChainHead[] = [],
  onProgress?: (position: bigint) => void,
): Promise<ChainReport> {
  return atOneMoment(pool, (client) => readChain(client, heads, onProgress))
}

/** The result is null while another process verifies the chain. */
export function verifyChainAlone(pool: pg.Pool, heads: readonly ChainHead[]): Promise<ChainReport | null> {
  return atOneMoment(pool, async (client) => {
    const { rows } = await client.query<{ taken: boolean }>(LOCK, [advisoryLocks.auditCheck])
    return rows[0]?.taken ? readChain(client, heads) : null
  })
}

async function atOneMoment<T>(pool: pg.Pool, read: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await liftLimits(client, 'LOCAL')
    return await read(client)
  } finally {
    client.release(await rollBack(client))
  }
}

async function readChain(
  client: pg.ClientBase,
  heads: readonly ChainHead[],
  onProgress: (position: bigint) => void = () => undefined,
): Promise<ChainReport> {
  const { rows: clock } = await client.query<{ now: Date }>('SELECT now()')
  const check = new ChainCheck(heads, clock[0]?.now.getTime() ?? Date.now())
  for (let after = 0n; ; ) {
    const { rows } = await client.query<LinkRow>(LINKS, [after, linksOfStep])
    for (const row of rows) check.add(row)
    after = rows.at(-1)?.position ?? after
    if (rows.length < linksOfStep) break
    onProgress(after)
  }
  const { rows: kept } = await client.query<{ name: string }>(KEPT, [check.restores.map((one) => one.kept)])
  const links = new Set(kept.map(({ name }) => name))
  check.restores = check.restores.filter(({ kept, digest }) => links.has(`${kept} ${digest}`))
  const { rows: unlinked } = await client.query<{ id: string }>(NOT_LINKED, [check.begin, mostFaults])
  for (const { id } of unlinked) check.fault({ kind: 'entry-not-linked', entryId: id })
  const { rows: older } = await client.query<{ count: number }>(OLDER, [check.begin])
  return check.report(older[0]?.count ?? 0)
}

interface LinkRow extends ChainLink {
  readonly entryId: string
  readonly previous: Buffer
  readonly digest: Buffer
  /** The entry's time was over at the moment of reading. */
  readonly mayBeGone: boolean
  /** The value is null for an entry that is gone. */
  readonly entry: StoredEntry | null
  readonly reason: KeptReason | null
}

class ChainCheck {
  readonly #heads = new Map<bigint, ChainHead[]>()
  readonly #faults: ChainFault[] = []
  #faultCount = 0
  #position = 0n
  #digest: Buffer = noDigest
  #entries = 0
  #expired = 0
  #reasonsRemoved = 0
  /**
   * These older entries have lost their reason. The digest of what remains waits for an entry of the chain with
   * the same digest.
   */
  readonly #changedByRemoval = new Map<string, { readonly position: bigint; readonly digest: string }>()
  readonly #removals = new Set<string>()
  /** The reasons of these positions are gone; an entry of the chain has to explain each. */
  readonly #goneReasons = new Map<string, bigint>()
  #agreeing = 0
  /** These heads name another link than the chain has, or a position after its end. */
  readonly #differing: ChainHead[] = []
  /** Entries name these restores; `digest` is that of the link at `kept`, in hexadecimal. */
  restores: (Omit<ChainRestore, 'heads' | 'latest'> & { readonly digest: string })[] = []
  /** The latest time of any entry so far, in ms since 1970, is kept. */
  #latest = 0
  readonly #now: number
  /** The chain began at this time, ISO 8601. The first entry holds it when older entries existed. */
  begin: string | null = null

  /** `now` is in ms since 1970. */
  constructor(heads: readonly ChainHead[], now: number) {
    this.#now = now
    for (const head of heads)
      this.#heads.set(head.position, [...(this.#heads.get(head.position) ?? []), head])
  }

  add(row: LinkRow) {
    const { position, entryId } = row
    const follows = position === this.#position + 1n
    if (!follows) this.fault({ kind: 'links-missing', from: this.#position + 1n, to: position - 1n })
    const wrong =
      (follows && !row.previous.equals(this.#digest)) || !row.digest.equals(linkDigest(row.previous, row))
    if (wrong) this.fault({ kind: 'link-changed', position, entryId })
    this.#checkEntry(row)
    for (const head of this.#heads.get(position) ?? []) {
      if (head.digest.equals(row.digest)) this.#agreeing += 1
      else this.#differing.push(head)
    }
    this.#position = position
    this.#digest = row.digest
  }

  #checkEntry({ entry, reason, position, entryId, entryDigest: linked, mayBeGone }: LinkRow) {
    if (entry) {
      this.#entries += 1
      this.#checkTime(entry, position)
      if (position === 1n && entry.action === beginning) this.begin = entry.at
      if (saysTheSame(entry, reason, linked)) {
        this.#noteRemoval(entry, reason, position)
        this.#noteRestore(entry, position)
      } else if (isWithoutItsReason(entry, reason))
        this.#changedByRemoval.set(entryId, { position, digest: entryDigest(entry).toString('hex') })
      else this.fault({ kind: 'entry-changed', position, entryId })
    } else if (mayBeGone) this.#expired += 1
    else this.fault({ kind: 'entry-deleted', position, entryId })
  }

  #checkTime({ id: entryId, at }: StoredEntry, position: bigint) {
    const time = Date.parse(at)
    if (time < this.#latest - longestTransaction || time > this.#now + longestTransaction)
      this.fault({ kind: 'time-wrong', position, entryId, at })
    else this.#latest = Math.max(this.#latest, time)
  }

  /** The first such entry counts, so that nobody can later say that something else remained. */
  #noteRemoval(entry: StoredEntry, reason: KeptReason | null, position: bigint) {
    const { id, action, target, details, reasonDigest: digest } = entry
    if (digest !== null && isRemoved(reason)) this.#goneReasons.set(id, position)
    if (action !== removal || target === null || this.#removals.has(target)) return
    this.#removals.add(target)
    if (this.#goneReasons.delete(target)) this.#reasonsRemoved += 1
    const said = RemovalSchema.safeParse(JSON.parse(details)).data
    if (said === undefined || this.#changedByRemoval.get(target)?.digest !== said.digest) return
    this.#changedByRemoval.delete(target)
    this.#reasonsRemoved += 1
  }

  #noteRestore({ action, actor, outcome, at, details }: StoredEntry, position: bigint) {
    if (action !== restoring || actor !== commandLine.id || outcome !== 'done') return
    const said = RestoreSchema.safeParse(JSON.parse(details)).data
    if (!said || BigInt(said.kept) >= position) return
    this.restores.push({ position, at, kept: BigInt(said.kept), digest: said.digest })
  }

  /** A restore explains a head that was given before it and names a position after the last kept one. */
  #explain(head: ChainHead): bigint | undefined {
    const explains = ({ kept, at }: Pick<ChainRestore, 'kept' | 'at'>) =>
      head.position > kept && Date.parse(head.at) <= Date.parse(at)
    return this.restores.find(explains)?.position
  }

  #explained(): ChainRestore[] {
    const heads = Map.groupBy(this.#differing, (head) => this.#explain(head))
    return this.restores.map(({ position, at, kept }) => {
      const positions = (heads.get(position) ?? []).map((head) => head.position)
      const latest = positions.reduce<bigint | null>((one, other) => (one && one > other ? one : other), null)
      return { position, at, kept, heads: positions.length, latest }
    })
  }

  fault(fault: ChainFault) {
    this.#faultCount += 1
    if (this.#faults.length < mostFaults) this.#faults.push(fault)
  }

  report(older: number): ChainReport {
    const last = this.#position
    for (const [position, heads] of this.#heads) if (position > last) this.#differing.push(...heads)
    const unexplained = this.#differing.filter((head) => this.#explain(head) === undefined)
    for (const { position, at } of unexplained)
      if (position <= last) this.fault({ kind: 'head-differs', position, headAt: at })
    const [latest] = unexplained.filter(({ position }) => position > last).toSorted(byPosition)
    if (latest) this.fault({ kind: 'end-cut', from: last + 1n, to: latest.position, headAt: latest.at })
    for (const [entryId, { position }] of this.#changedByRemoval)
      this.fault({ kind: 'entry-changed', position, entryId })
    for (const [entryId, position] of this.#goneReasons)
      this.fault({ kind: 'reason-removed', position, entryId })
    return {
      length: last,
      entries: this.#entries,
      expired: this.#expired,
      older,
      reasonsRemoved: this.#reasonsRemoved,
      heads: this.#agreeing,
      restores: this.#explained(),
      faults: this.#faults,
      faultCount: this.#faultCount,
    }
  }
}

const saysTheSame = (entry: StoredEntry, reason: KeptReason | null, linked: Buffer): boolean =>
  entryDigest(entry).equals(linked) && isReasonOf(entry, reason)

/** An older entry was linked with its reason; once that is removed, the link cannot prove the rest of the entry. */
const isWithoutItsReason = (entry: StoredEntry, reason: KeptReason | null): boolean =>
  entry.reasonDigest === null && entry.reason === null && isRemoved(reason)

function isReasonOf({ reasonDigest: digest }: StoredEntry, reason: KeptReason | null): boolean {
  if (reason === null) return digest === null
  if (isRemoved(reason)) return true
  const { text, salt } = reason
  return (
    text !== null && salt !== null && reasonDigest(Buffer.from(salt, 'hex'), text).toString('hex') === digest
  )
}

const isRemoved = (reason: KeptReason | null) => reason?.text === null && reason.salt === null

/** The migration `audit_chain` writes this action as the first of the chain. */
const beginning = 'audit.begin-chain' satisfies AuditAction

/** The command `restored` records that a backup was restored. */
const restoring = 'database.restore' satisfies AuditAction
const RestoreSchema = z.object({ kept: z.int().min(0), digest: z.string() })

/** The latest position comes first. */
const byPosition = (one: ChainHead, other: ChainHead) => Number(other.position - one.position)

/** `erase_audit_reasons` writes this action for each entry, with the digest of what remains of it. */
const removal = 'audit.remove-reason' satisfies AuditAction
const RemovalSchema = z.object({ digest: z.string() })

/** The lock ends with the transaction, however it ends, also through a connection pooler. */
const LOCK = 'SELECT pg_try_advisory_xact_lock($1) AS taken'

const iso = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

const LINKS = `
  SELECT link.position, link.entry_id AS "entryId", link.entry_digest AS "entryDigest", link.previous, link.digest,
         to_char(link.expires_at AT TIME ZONE 'UTC', ${iso}) AS "expiresAt",
         COALESCE(link.expires_at < now(), false) AS "mayBeGone",
         CASE WHEN audit.id IS NOT NULL THEN jsonb_build_object(
           'id', audit.id::text, 'at', to_char(audit.at AT TIME ZONE 'UTC', ${iso}), 'actor', audit.actor,
           'actorRole', audit.actor_role, 'action', audit.action, 'target', audit.target, 'outcome', audit.outcome,
           'reason', audit.reason, 'details', audit.details::text, 'ip', audit.ip, 'userAgent', audit.user_agent,
           'expiresAt', to_char(audit.expires_at AT TIME ZONE 'UTC', ${iso}),
           'reasonDigest', encode(audit.reason_digest, 'hex')) END AS entry,
         CASE WHEN said.entry_id IS NOT NULL THEN
           jsonb_build_object('text', said.text, 'salt', encode(said.salt, 'hex')) END AS reason
  FROM audit_link AS link LEFT JOIN audit ON audit.id = link.entry_id
  LEFT JOIN audit_reason AS said ON said.entry_id = link.entry_id
  WHERE link.position > $1 ORDER BY link.position LIMIT $2`

/** A restore has to name the link that was kept; a restore of an empty chain names none. */
const KEPT = `
  SELECT position || ' ' || encode(digest, 'hex') AS name FROM audit_link WHERE position = ANY($1::bigint[])
  UNION ALL SELECT '0 '`

const notLinked = 'NOT EXISTS (SELECT FROM audit_link WHERE entry_id = audit.id)'

const NOT_LINKED = `
  SELECT id FROM audit WHERE ${notLinked} AND ($1::timestamptz IS NULL OR at > $1) ORDER BY at, id LIMIT $2`

const OLDER = `SELECT count(*)::int AS count FROM audit WHERE ${notLinked} AND at <= $1::timestamptz`
