import 'server-only'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import { pool } from '#lib/platform/db/pool.ts'

/** A bank account of a customer's own, as its events have it. What none of them gave is null. §6.3 */
export interface AccountDetails {
  readonly currency: string | null
  readonly iban: string | null
  readonly accountNumber: string | null
  readonly sortCode: string | null
  readonly bic: string | null
  readonly swiftCode: string | null
  readonly bankCode: string | null
  readonly bankName: string | null
  readonly bankCountry: string | null
}

/** @param bodies of the events, in the order of the timeline; null where one is not kept any more. The latest value counts. */
export function toAccountDetails(bodies: readonly (Buffer | null)[]): AccountDetails {
  const given = bodies.map((body) => {
    const parsed = body && parseEnvelope(body)
    return parsed?.kind === 'envelope' ? parsed.envelope.data : null
  })
  const latest = (name: string) =>
    given.map((data) => textField(data, name)).findLast((text) => text !== null) ?? null
  return {
    currency: latest('currency'),
    iban: latest('iban'),
    accountNumber: latest('account_number'),
    sortCode: latest('sort_code'),
    bic: latest('bic'),
    swiftCode: latest('swift_code'),
    bankCode: latest('bank_code'),
    bankName: latest('bank_name'),
    bankCountry: latest('bank_country'),
  }
}

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
