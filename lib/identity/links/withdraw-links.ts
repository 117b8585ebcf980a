import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { withdrawMails } from '#lib/platform/mail/mail-queue.ts'

/**
 * Takes links back that were not used yet: they open no more, and whoever has opened one and not finished is sent away.
 * @returns how many there were
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

/** Takes back every link of before `until`: a restored backup does not know which were used or taken back since. */
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
