import 'server-only'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf } from '#lib/platform/db/sql-text.ts'

/** The events of a customer's own bank account give these details; null when none of them gave one. §6.3 */
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

/**
 * `bodies` are those of the events, in the order of the timeline; null for one that is not kept any more. The
 * latest value counts.
 */
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

/** The account is returned with its owner; null when no event is about one. The caller has checked access. */
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

/** The query reads the last events of the account, in order. */
const EVENTS = `
  WITH kept AS MATERIALIZED (
    SELECT entity_uuid, position, id, envelope FROM event
    WHERE subject_id = $1 AND type = 'unblockBankAccount' ORDER BY position DESC LIMIT 50
  ) SELECT entity_uuid, ${bodyOf('kept')} AS body FROM kept ORDER BY position`
