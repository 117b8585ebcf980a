import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { showRecord } from '#lib/domain/access/show-record.ts'
import { parseEnvelope, textField } from '#lib/domain/delivery/envelope.ts'
import type { JsonObject } from '#lib/domain/delivery/json.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { requireServiceUser } from '#lib/request/require-service-user.ts'

/** An account of the customer's own, to pay into. What no event gave is null. §6.3 */
export interface OwnAccountView {
  readonly uuid: string
  /** A status that we have words for. */
  readonly status: string | null
  readonly currency: string | null
  readonly iban: string | null
  readonly accountNumber: string | null
  readonly sortCode: string | null
  readonly bic: string | null
  readonly bankName: string | null
}

/** The caller's own accounts as their events have them, newest first, at most 20. Whoever looks sees what a customer sees. */
export async function listOwnAccounts(caller: Caller): Promise<OwnAccountView[]> {
  requirePermission(caller, 'see-own')
  const { rows } = await pool().query<EventRow>(EVENTS, [requireServiceUser(caller)])
  return [...Map.groupBy(rows, ({ uuid }) => uuid)].map(([uuid, events]) => toView(uuid, events))
}

interface EventRow {
  readonly uuid: string
  readonly status: string | null
  readonly rank: number | null
  /** Null where neither the log nor the event holds it any more. */
  readonly body: Buffer | null
}

/** The latest value given, in the order of the timeline; the status of the highest rank, of these the last. */
function toView(uuid: string, events: readonly EventRow[]): OwnAccountView {
  const given = events.map(({ body }) => dataOf(body))
  const latest = (name: string) =>
    given.map((data) => textField(data, name)).findLast((text) => text !== null)
  const highest = Math.max(...events.map(rankOf))
  return showRecord('end-user', 'account', {
    uuid,
    status: events.findLast((event) => rankOf(event) === highest)?.status ?? null,
    currency: latest('currency') ?? null,
    iban: latest('iban') ?? null,
    accountNumber: latest('account_number') ?? null,
    sortCode: latest('sort_code') ?? null,
    bic: latest('bic') ?? null,
    bankName: latest('bank_name') ?? null,
  })
}

const rankOf = ({ rank }: EventRow) => rank ?? -1

function dataOf(body: Buffer | null): JsonObject | null {
  const parsed = body && parseEnvelope(body)
  return parsed?.kind === 'envelope' ? parsed.envelope.data : null
}

/** Of each account the last events that name this user, in their order. */
const EVENTS = `
  WITH own AS MATERIALIZED (
    SELECT subject_id, started_at FROM identifier
    WHERE value = $1 AND starts_with(subject_id, 'bank-account:') ORDER BY started_at DESC LIMIT 20
  )
  SELECT substring(own.subject_id FROM '^bank-account:(.*)$') AS uuid, status, rank, body FROM own, LATERAL (
    SELECT status, rank, position, event_body(id, envelope) AS body FROM event
    WHERE event.subject_id = own.subject_id AND type = 'unblockBankAccount' AND entity_uuid = $1
    ORDER BY position DESC LIMIT 50) AS last
  ORDER BY own.started_at DESC, own.subject_id, last.position`
