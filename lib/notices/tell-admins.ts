import 'server-only'
import { uuidv7 } from 'uuidv7'
import type { Transaction } from '#lib/db/in-transaction.ts'
import type { NoticeKind } from '#lib/domain/access/notice-kinds.ts'

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
}

/** Tells every admin, in the transaction that does what is told: both are kept, or neither. */
export async function tellAdmins(
  tx: Transaction,
  { kind, actor, about, reason, facts }: NewNotice,
): Promise<void> {
  const name = actor && (actor.name ?? actor.email ?? actor.id)
  await tx.query(INSERT, [uuidv7(), kind, actor?.id, name, about, reason, { ...facts }])
  await tx.query(`SELECT pg_notify($1, '')`, [noticeChannel])
}

/** Who has acted where the provider of single sign-on decides. */
export const singleSignOn = { id: 'single sign-on', name: 'Single sign-on' }

/** Where a notice is announced, with its commit. */
export const noticeChannel = 'admin_notice'

const INSERT = `
  INSERT INTO admin_notice (id, kind, actor, actor_name, about, reason, facts)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`
