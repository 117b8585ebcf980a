import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { readWrongSecrets, type WrongSecretMinute } from '#lib/deliveries/receivers/read-wrong-secrets.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'

/**
 * Strangers called a receiver with a wrong secret in the last day while the right one was accepted. Times are ISO
 * 8601.
 */
export interface StrangerCalls {
  /** The receiver belongs to this endpoint; null when nothing is known of it. */
  readonly endpoint: { readonly uuid: string; readonly name: string } | null
  readonly count: number
  readonly lastAt: string
  /**
   * Callers with the most calls come first, at most five. An empty address means callers that are not counted one
   * by one.
   */
  readonly callers: readonly { readonly address: string; readonly count: number }[]
  /** The count has the addresses that `callers` leaves out. */
  readonly otherAddresses: number
}

const day = 86_400_000
const maxCallers = 5

/** The list covers every receiver. Throws `NotAllowed`. */
export async function listStrangerCalls(caller: Caller): Promise<StrangerCalls[]> {
  requirePermission(caller, 'see-endpoint-health')
  const now = Date.now()
  const minutes = await readWrongSecrets(pool(), new Date(now - day), now)
  const strangers = minutes.filter(({ who }) => who === 'stranger')
  if (strangers.length === 0) return []
  const byReceiver = Map.groupBy(strangers, (minute) => minute.receiverId)
  const { rows } = await pool().query<KnownRow>({
    ...KNOWN,
    values: [[...byReceiver.keys()], new Date(now - day)],
  })
  return [...byReceiver].map(([id, mine]) =>
    view(
      mine,
      rows.find(({ receiver_id }) => receiver_id === id),
    ),
  )
}

function view(minutes: readonly WrongSecretMinute[], known: KnownRow | undefined): StrangerCalls {
  const callers = known?.callers ?? []
  return {
    endpoint: known?.endpoint ?? null,
    count: minutes.reduce((sum, { count }) => sum + count, 0),
    lastAt: new Date(Math.max(...minutes.map(({ last }) => last))).toISOString(),
    callers: callers.slice(0, maxCallers),
    otherAddresses: Math.max(0, callers.length - maxCallers),
  }
}

interface KnownRow {
  readonly receiver_id: string
  readonly endpoint: StrangerCalls['endpoint']
  readonly callers: StrangerCalls['callers'] | null
}

const KNOWN = planOnce(`
  SELECT receiver_id,
    (SELECT json_build_object('uuid', endpoint_uuid, 'name', name) FROM watched_endpoint AS watched
     WHERE watched.receiver_id = wanted.receiver_id ORDER BY last_active_at DESC NULLS LAST LIMIT 1) AS endpoint,
    (SELECT json_agg(json_build_object('address', address, 'count', count) ORDER BY count DESC, address) FROM (
       SELECT address, sum(count)::int AS count FROM refused_caller AS from_where
       WHERE from_where.receiver_id = wanted.receiver_id AND last_at >= $2 GROUP BY address
     ) AS callers) AS callers
  FROM unnest($1::uuid[]) AS wanted (receiver_id)`)
