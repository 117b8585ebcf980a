import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { withdrawLinks } from '../links/withdraw-links.ts'
import type { LockedMember } from './lock-team.ts'

/** Links that let this member in, and invitations that they have given out, lead nowhere from now on. */
export async function withdrawLinksOf(tx: Transaction, { memberId, userUuid }: LockedMember): Promise<void> {
  const persons = [memberId, userUuid].filter((id) => id !== null)
  const { rows } = await tx.query<{ id: string }>(LINKS, [memberId, persons])
  await withdrawLinks(tx, rows)
}

const LINKS = `
  SELECT id FROM access_link
  WHERE (member_id = $1 OR created_by = ANY($2::text[])) AND used_at IS NULL AND withdrawn_at IS NULL`
