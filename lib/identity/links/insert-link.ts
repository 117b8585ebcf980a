import 'server-only'
import { uuidv7 } from 'uuidv7'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { digestToken, randomToken } from '../sessions/token.ts'

/** `set-up` makes the first admin, `invitation` a member, `sign-in` lets a member in. */
export type LinkKind = 'set-up' | 'invitation' | 'sign-in'

interface NewLink {
  readonly kind: LinkKind
  /** As `Caller.id`, or the command line. */
  readonly createdBy: string
  readonly lifetimeMs: number
  /** Whom it lets in; null for somebody who becomes a member only by it. */
  readonly memberId?: string
  readonly invited?: {
    readonly name: string
    readonly email: string | null
    readonly role: string
    /** The same for one person, however an admin writes them. */
    readonly invitee: string
  }
}

export interface InsertedLink {
  readonly id: string
  /** Stands in the link's address alone. */
  readonly token: string
  readonly expiresAt: Date
}

/** Keeps a new link; null when the same person has an open invitation. */
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
