import 'server-only'
import { uuidv7 } from 'uuidv7'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { withdrawMails } from '#lib/platform/mail/mail-queue.ts'
import { digestToken, randomToken } from '../sessions/token.ts'

/** `set-up` makes the first admin, `invitation` a member, `sign-in` lets a member in. */
export type LinkKind = 'set-up' | 'invitation' | 'sign-in'

interface NewLink {
  readonly kind: LinkKind
  /** The creator is named as in `Caller.id`, or is the command line. */
  readonly createdBy: string
  readonly lifetimeMs: number
  /** The link lets this member in; null for somebody who becomes a member only by it. */
  readonly memberId?: string
  readonly invited?: {
    readonly name: string
    readonly email: string | null
    readonly role: string
    /** The text is the same for one person, however an admin writes them. */
    readonly invitee: string
  }
}

export interface InsertedLink {
  readonly id: string
  /** Only the link's address contains the token. */
  readonly token: string
  readonly expiresAt: Date
}

/** The new link is stored; null when the same person has an open invitation. */
export async function insertLink(tx: Transaction, link: NewLink): Promise<InsertedLink | null> {
  const { kind, createdBy, lifetimeMs, memberId, invited } = link
  const id = uuidv7()
  const token = randomToken()
  const expiresAt = new Date(Date.now() + lifetimeMs)
  const { rowCount } = await tx.query(INSERT, [
    id,
    kind,
    digestToken(token),
    memberId,
    invited?.name,
    invited?.email,
    invited?.role,
    invited?.invitee,
    createdBy,
    expiresAt,
  ])
  return rowCount === 1 ? { id, token, expiresAt } : null
}

const INSERT = `
  INSERT INTO access_link (id, kind, token_digest, member_id, name, email, role, invitee, created_by, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (invitee) WHERE used_at IS NULL AND withdrawn_at IS NULL DO NOTHING`

/** The token is behind `#`, which browsers never send, so that no log and no proxy learns it. */
export const linkAddress = (publicUrl: URL, token: string): string =>
  `${new URL('/set-up', publicUrl).href}#${token}`

/** Each fault says why a link does not open, and what to do, in the same words for every kind. */
export type LinkFault = 'unknown' | 'used' | 'expired' | 'withdrawn' | 'admin-exists'

/**
 * Unused links are withdrawn: they no longer open, and somebody who has opened one and not finished cannot go
 * on. The result is their number.
 */
export async function withdrawLinks(
  tx: Transaction,
  links: readonly { readonly id: string }[],
): Promise<number> {
  const ids = links.map(({ id }) => id)
  const { rows } = await tx.query<{ member_id: string | null }>(WITHDRAW, [ids])
  await withdrawMails(tx, ids)
  const members = rows.flatMap(({ member_id }) => member_id ?? [])
  await tx.query(END_SESSIONS, [members])
  await tx.query('DELETE FROM member WHERE id = ANY($1::uuid[]) AND joined_at IS NULL', [members])
  return rows.length
}

/** All links from before `until` are withdrawn: a restored backup does not know which were used or withdrawn since. */
export async function withdrawLinksOfAll(tx: Transaction, until: Date): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(OPEN, [until])
  return withdrawLinks(tx, rows)
}

const OPEN = `
  SELECT id FROM access_link
  WHERE used_at IS NULL AND withdrawn_at IS NULL AND expires_at > now() AND created_at <= $1`

const WITHDRAW = `
  UPDATE access_link SET withdrawn_at = now()
  WHERE id = ANY($1::uuid[]) AND used_at IS NULL AND withdrawn_at IS NULL
  RETURNING member_id`

const END_SESSIONS = `
  UPDATE session SET ended_at = now(), end_reason = 'withdrawn'
  WHERE ended_at IS NULL AND member_id = ANY(SELECT id FROM member WHERE id = ANY($1::uuid[]) AND joined_at IS NULL)`
