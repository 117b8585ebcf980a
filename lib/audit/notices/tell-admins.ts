import 'server-only'
import { uuidv7 } from 'uuidv7'
import type { NoticeKind } from '#lib/access/rules/notice-kinds.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'

export interface NewNotice {
  readonly kind: NoticeKind
  /** Null when nobody is known. */
  readonly actor: {
    readonly id: string
    readonly name?: string | null
    readonly email?: string | null
  } | null
  /** The id of what it is about. */
  readonly about?: string
  /** Why, in the actor's words. */
  readonly reason?: string
  /** What the sentence of its kind names; no secret. */
  readonly facts?: Readonly<Record<string, string>>
  /** For what happens often: told once in a day of UTC of an actor, a kind and what it is about. */
  readonly onceADay?: boolean
}

/** Tells every admin, in the transaction that does what is told: both are kept, or neither. */
export async function tellAdmins(
  tx: Transaction,
  { kind, actor, about, reason, facts, onceADay = false }: NewNotice,
): Promise<void> {
  if (onceADay && (await tx.query(TOLD_TODAY, [kind, actor?.id, about])).rowCount) return
  const name = actor && (actor.name ?? actor.email ?? actor.id)
  await tx.query(INSERT, [uuidv7(), kind, actor?.id, name, about, reason, { ...facts }])
  await tx.query(`SELECT pg_notify($1, '')`, [noticeChannel])
}

/** Who has acted where the provider of single sign-on decides. */
export const singleSignOn = { id: 'single sign-on', name: 'Single sign-on' }

/** Where a notice is announced, with its commit. */
export const noticeChannel = 'admin_notice'

const TOLD_TODAY = `
  SELECT FROM admin_notice
  WHERE kind = $1 AND actor IS NOT DISTINCT FROM $2 AND about IS NOT DISTINCT FROM $3
    AND at >= date_trunc('day', now(), 'UTC') LIMIT 1`

const INSERT = `
  INSERT INTO admin_notice (id, kind, actor, actor_name, about, reason, facts)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`
