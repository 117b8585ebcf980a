import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { type Learnt, noteLearnt } from '#lib/deliveries/queue/fold-again.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { type GapInterval, type GapKind, joinDistance, joinEvidence, type KnownGap } from '../rules/gaps.ts'

/** Evidence says that deliveries may be missing. Times are in ms since 1970. */
export interface Evidence extends GapInterval {
  /** `about` is the uuid of an endpoint or receiver; empty for every endpoint here. */
  readonly about: string
  /** The note gives the evidence in a sentence; null when the kind says it all. */
  readonly note: string | null
}

/**
 * All current evidence of one kind is joined with its known gaps, in the transaction of `client`; known lasting
 * gaps without evidence end at `now`. A lock serialises all processes. Call `foldLearnt` after the commit.
 */
export async function recordEvidence(
  tx: Transaction,
  kind: GapKind,
  evidence: readonly Evidence[],
  now: number,
): Promise<void> {
  await lockGaps(tx)
  const known = await readKnown(tx, kind, evidence)
  const news: Learnt[] = []
  for (const about of new Set([...evidence, ...known].map((each) => each.about))) {
    const seen = evidence.filter((each) => each.about === about)
    const evidenceOfOne = known.filter((each) => each.about === about)
    const { added, changed, removed } = joinEvidence(evidenceOfOne, seen, joinDistance[kind], now)
    const note = seen.at(-1)?.note ?? null
    news.push(...[...added, ...changed].map(({ began }) => ({ about, began })))
    for (const { id, began, ended } of changed) await tx.query(CHANGE, [id, at(began), at(ended), note])
    if (removed.length > 0) await tx.query(DELETE, [removed])
    for (const { began, ended } of added)
      await tx.query(ADD, [uuidv7(), kind, about, at(began), at(ended), note])
  }
  if (isReadByFolds(kind)) await noteLearnt(tx, news)
}

const evidenceKinds: readonly GapKind[] = ['down', 'restored', 'refused', 'silent']

/** `isReadByFolds` is true for gaps that are evidence for the timeline. */
export const isReadByFolds = (kind: GapKind): boolean => evidenceKinds.includes(kind)

/** Whoever changes gaps takes this lock first, so that no round of the watcher undoes what a person records meanwhile. */
export async function lockGaps(client: pg.PoolClient): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.gaps])
}

const at = (ms: number | null) => (ms === null ? null : new Date(ms))

/** Evidence can touch these gaps: those that last, and those that ended near it or later. */
async function readKnown(
  client: pg.PoolClient,
  kind: GapKind,
  evidence: readonly Evidence[],
): Promise<(KnownGap & { readonly about: string })[]> {
  const from = evidence.length > 0 ? Math.min(...evidence.map(({ began }) => began)) : null
  const { rows } = await client.query<GapTimes>(KNOWN, [kind, at(from && from - joinDistance[kind])])
  return rows.map(({ id, about, began_at, ended_at, closed, reopened }) => ({
    id,
    about,
    began: began_at.getTime(),
    ended: ended_at?.getTime() ?? null,
    closed,
    reopened,
  }))
}

interface GapTimes {
  readonly id: string
  readonly about: string
  readonly began_at: Date
  readonly ended_at: Date | null
  readonly closed: boolean
  readonly reopened: boolean
}

const KNOWN = `
  SELECT id, about, began_at, ended_at, outcome IS NOT NULL AS closed, reopened_at IS NOT NULL AS reopened
  FROM gap WHERE kind = $1 AND (ended_at IS NULL OR ended_at >= $2)`

const CHANGE = 'UPDATE gap SET began_at = $2, ended_at = $3, note = COALESCE($4, note) WHERE id = $1'

const DELETE = 'DELETE FROM gap WHERE id = ANY($1::uuid[]) AND outcome IS NULL'

const ADD = 'INSERT INTO gap (id, kind, about, began_at, ended_at, note) VALUES ($1, $2, $3, $4, $5, $6)'
