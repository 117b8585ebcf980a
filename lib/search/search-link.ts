import 'server-only'
import { uuidv7 } from 'uuidv7'
import { pool } from '#lib/db/pool.ts'
import { isUuid } from '#lib/domain/text/uuid.ts'
import { keyedDigest } from '#lib/keys/keyed-digest.ts'
import { seal, unseal } from '#lib/keys/seal.ts'
import type { Caller } from '#lib/request/caller.ts'

/** The id that stands for a text in links: the same for the same text. The text itself is sealed beside it. */
export async function linkTo({ id: madeBy }: Caller, text: string): Promise<string> {
  const digest = keyedDigest('search link', text)
  const id = uuidv7()
  const { bytes, keyId } = seal(text, id)
  const { rows } = await pool().query<{ id: string }>(ENTER, [id, digest, bytes, keyId, madeBy])
  return rows[0]?.id ?? id
}

/** A conflict changes nothing, but answers the id that is there. */
const ENTER = `
  INSERT INTO search_link AS known (id, digest, sealed, key_id, made_by) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (digest) DO UPDATE SET digest = known.digest RETURNING id`

/** What a link stands for, and who made it; null when there is none, or its key was taken away. */
export async function readLink(
  id: string,
): Promise<{ readonly text: string; readonly madeBy: string } | null> {
  if (!isUuid(id)) return null
  const { rows } = await pool().query<{ sealed: Uint8Array<ArrayBuffer>; key_id: string; made_by: string }>(
    'SELECT sealed, key_id, made_by FROM search_link WHERE id = $1',
    [id],
  )
  const [row] = rows
  const text = row ? unseal({ bytes: row.sealed, keyId: row.key_id }, id.toLowerCase()) : null
  return row && text !== null ? { text, madeBy: row.made_by } : null
}
