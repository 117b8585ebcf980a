import 'server-only'
import { type Caller, requirePermission, requireServiceUser } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { listWallets, type WalletView } from '#lib/identity/users/list-wallets.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type AccountDetails, toAccountDetails } from '#lib/timeline/account-details.ts'
import { decidingOf, type RankedKind } from '#lib/timeline/rules/status.ts'

/** The customer pays into this account. A field that no event gave is null (§6.3). */
export interface OwnAccountView extends AccountDetails {
  readonly uuid: string
  /** The status is one that we have words for. */
  readonly status: string | null
}

/**
 * The caller's own accounts come as their events describe them, newest first, at most 20. A member of staff sees
 * what a customer sees.
 */
export async function listOwnAccounts(caller: Caller): Promise<OwnAccountView[]> {
  requirePermission(caller, 'see-own')
  const { rows } = await pool().query<EventRow>(EVENTS, [requireServiceUser(caller)])
  return [...Map.groupBy(rows, ({ uuid }) => uuid)].map(([uuid, events]) => toView(uuid, events))
}

interface EventRow extends RankedKind {
  readonly uuid: string
  readonly status: string | null
  /** The body is null when neither the log nor the event holds it any more. */
  readonly body: Buffer | null
}

/** Each field has its latest value in the order of the timeline; the status is that of the deciding event. */
function toView(uuid: string, events: readonly EventRow[]): OwnAccountView {
  return showRecord('end-user', 'account', {
    uuid,
    status: decidingOf(events, (event) => event)?.status ?? null,
    ...toAccountDetails(events.map(({ body }) => body)),
  })
}

/**
 * Each account has its last events that name this user, in order. `starts_with` would read all accounts, see
 * `ACCOUNTS` in `get-person.ts`.
 */
const EVENTS = `
  WITH own AS MATERIALIZED (
    SELECT subject_id, started_at FROM identifier
    WHERE value = $1 AND split_part(subject_id, ':', 1) = 'bank-account' ORDER BY started_at DESC LIMIT 20
  )
  SELECT substring(own.subject_id FROM '^bank-account:(.*)$') AS uuid, type, "subType", status, rank, body FROM own, LATERAL (
    SELECT type, sub_type AS "subType", status, rank, position, event_body(id, envelope) AS body FROM event
    WHERE event.subject_id = own.subject_id AND type = 'unblockBankAccount' AND entity_uuid = $1
    ORDER BY position DESC LIMIT 50) AS last
  ORDER BY own.started_at DESC, own.subject_id, last.position`

/** The caller's own wallets come as the page for staff lists them. */
export async function listOwnWallets(caller: Caller): Promise<readonly WalletView[]> {
  requirePermission(caller, 'see-own')
  return (await listWallets('end-user', requireServiceUser(caller))).wallets
}
