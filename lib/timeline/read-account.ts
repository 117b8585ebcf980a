import 'server-only'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type AccountDetails, toAccountDetails } from './tables/account-details.ts'

/** A customer's own bank account as it is, and whose it is; null when no event is about one. The caller has checked access. */
export async function readAccount(
  uuid: string,
): Promise<{ readonly details: AccountDetails; readonly userUuid: string | null } | null> {
  const { rows } = await pool().query<{ entity_uuid: string | null; body: Buffer | null }>(EVENTS, [
    subjectId({ kind: 'bank-account', id: uuid }),
  ])
  if (rows.length === 0) return null
  return {
    details: toAccountDetails(rows.map(({ body }) => body)),
    userUuid: rows.findLast((row) => row.entity_uuid !== null)?.entity_uuid ?? null,
  }
}

/** The last events of the account, in their order. */
const EVENTS = `
  SELECT entity_uuid, body FROM (
    SELECT entity_uuid, position, event_body(id, envelope) AS body FROM event
    WHERE subject_id = $1 AND type = 'unblockBankAccount' ORDER BY position DESC LIMIT 50) AS last
  ORDER BY position`
