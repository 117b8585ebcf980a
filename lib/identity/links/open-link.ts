import 'server-only'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { RequestContext } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type MembershipRow, membershipOf } from '../members/membership.ts'
import { countDenied } from '../sessions/denied-requests.ts'
import { openSession, startSession } from '../sessions/open-session.ts'
import { recordRefusal } from '../sessions/record-refusal.ts'
import { digestToken } from '../sessions/token.ts'
import type { LinkFault, LinkKind } from './access-links.ts'

export const OpenLinkSchema = z.object({ token: z.string().max(200) })

export interface OpenedLink {
  /** The browser gets the session with this token. */
  readonly token: string
  /** The person continues by setting up a way to sign in, or goes to work. */
  readonly next: '/set-up' | '/'
}

/** Setting up a way to sign in may take this many minutes. Until it is done, the link can be opened again. */
const setUpMinutes = 60

/**
 * A sign-in link signs its member in, once. Any other link opens a session that can only set up a way to sign
 * in. Throws `Refused`.
 */
export async function openLink(
  { token }: z.output<typeof OpenLinkSchema>,
  context: RequestContext,
): Promise<OpenedLink> {
  await refuseBeyondLimit('link-per-ip', context.ip, 'too-many-links')
  const outcome = await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<LinkRow>(FIND, [digestToken(token)])
    const [link] = rows
    if (!link) return { fault: 'unknown', target: null } as const
    const fault = faultOf(link, new Date())
    if (fault) return { fault, target: link.id } as const
    return link.kind === 'sign-in' ? signMemberIn(tx, link, context) : letIn(tx, link, context)
  })
  if (!('fault' in outcome)) return outcome
  const { fault, target } = outcome
  const place = `link: ${fault}`
  if (target === null) await countDenied(null, place)
  else await recordRefusal({ action: 'link.open', target, details: { why: fault } }, place, context)
  throw new Refused(`link-${fault}`)
}

interface LinkRow {
  readonly id: string
  readonly kind: LinkKind
  readonly member_id: string | null
  readonly name: string | null
  readonly email: string | null
  readonly role: string | null
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly withdrawn_at: Date | null
}

const FIND = `
  SELECT id, kind, member_id, name, email, role, expires_at, used_at, withdrawn_at
  FROM access_link WHERE token_digest = $1 FOR UPDATE`

function faultOf({ used_at, withdrawn_at, expires_at }: LinkRow, now: Date): LinkFault | null {
  if (withdrawn_at) return 'withdrawn'
  if (used_at) return 'used'
  return expires_at <= now ? 'expired' : null
}

type Outcome = OpenedLink | { readonly fault: LinkFault; readonly target: string }

async function signMemberIn(tx: Transaction, link: LinkRow, context: RequestContext): Promise<Outcome> {
  const memberId = link.member_id
  const signedInAs = { userUuid: null, memberId, method: 'link' } as const
  // The transaction reads the member itself: with a second connection of the pool, many openings would wait for each other.
  const { rows } = await tx.query<MemberRow>(MEMBER, [memberId])
  const membership = membershipOf(signedInAs, rows[0] ?? null)
  if (memberId === null || membership.memberId === null) return { fault: 'withdrawn', target: link.id }
  await tx.query('UPDATE access_link SET used_at = now() WHERE id = $1', [link.id])
  const { role } = membership
  const signedIn = { ...signedInAs, serviceSessionId: null, role }
  const token = await startSession(tx, signedIn, context, { link: link.id })
  return { token, next: '/' }
}

interface MemberRow extends MembershipRow {
  readonly joinedAt: Date | null
  readonly removedAt: Date | null
}

async function letIn(tx: Transaction, link: LinkRow, context: RequestContext): Promise<Outcome> {
  const memberId = link.member_id ?? uuidv7()
  if (link.member_id === null) {
    const { name, email, role } = link
    await tx.query(MAKE_MEMBER, [memberId, name ?? '', email, role ?? 'admin'])
    await tx.query('UPDATE access_link SET member_id = $2 WHERE id = $1', [link.id, memberId])
  }
  // Another browser that opened the link before cannot continue beside this one.
  await tx.query(END_EARLIER, [memberId])
  const signedIn = { userUuid: null, memberId, method: 'link', serviceSessionId: null } as const
  const once = { ...signedIn, role: 'end-user', maxMinutes: setUpMinutes } as const
  const token = await openSession(tx, once, context, new Date())
  const entry = { actor: null, action: 'link.open', target: link.id, outcome: 'done' } as const
  await recordAudit(tx, { ...entry, details: { kind: link.kind, member: memberId } }, context)
  return { token, next: '/set-up' }
}

const MEMBER = `
  SELECT id, role, name, email, joined_at AS "joinedAt", removed_at AS "removedAt" FROM member WHERE id = $1`

const MAKE_MEMBER = `
  INSERT INTO member (id, name, email, role, joined_at) VALUES ($1, $2, $3, $4, NULL)`

const END_EARLIER = `
  UPDATE session SET ended_at = now(), end_reason = 'replaced' WHERE member_id = $1 AND ended_at IS NULL`
