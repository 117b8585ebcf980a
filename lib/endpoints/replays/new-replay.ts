import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { findUserByEmail } from '#lib/identity/users/find-users.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { listEndpoints } from '../endpoints.ts'
import { filterEntries, type ReplayFilter, ReplayFilterSchema } from './replay-forms.ts'
import { maxDeliveries } from './replay-store.ts'
import { rowByRow, selectDeliveries } from './select-deliveries.ts'

/** The filter is as the address of the page has it. */
type GivenFilter = Readonly<Record<string, string>>

/** A repeated parameter counts with its first value. */
export function givenFilter(
  parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
): GivenFilter {
  const given: Record<string, string> = {}
  for (const key of ReplayFilterSchema.keyof().options) {
    const value = [parameters[key]].flat()[0]
    if (value) given[key] = value
  }
  return given
}

/** `ReadFilter` holds the filter as read, and a message for each part that could not be read. */
interface ReadFilter {
  /** The filter is empty when any part could not be read: the rest would match more than was asked for. */
  readonly filter: ReplayFilter
  readonly errors: Readonly<Record<string, string>>
}

/** A user may be given by the e-mail address in the directory. Throws `NotAllowed`. */
export async function readReplayFilter(caller: Caller, given: GivenFilter): Promise<ReadFilter> {
  requirePermission(caller, 'replay-deliveries')
  const { data: filter, error } = ReplayFilterSchema.safeParse(given)
  if (error) {
    const byField = Map.groupBy(error.issues, ({ path }) => String(path[0]))
    const errors = [...byField].map(([field, issues]) => [field, issues[0]?.message])
    return { filter: {}, errors: Object.fromEntries(errors) }
  }
  if (!filter.user?.includes('@')) return { filter, errors: {} }
  const person = await findUserByEmail(cleanText(filter.user))
  if (!person) return { filter: {}, errors: { user: 'The directory knows nobody by this e-mail.' } }
  return { filter: { ...filter, user: person.userUuid }, errors: {} }
}

/** The filter matches this many deliveries, received between `first` and `last` (ISO 8601). */
export interface MatchingDeliveries {
  readonly count: number
  /** More deliveries match than one replay may have; `count` is then the maximum. */
  readonly tooMany: boolean
  readonly first: string | null
  readonly last: string | null
}

/** The count is null when the filter is empty. Throws `NotAllowed`. */
export async function countMatchingDeliveries(
  caller: Caller,
  filter: ReplayFilter,
): Promise<MatchingDeliveries | null> {
  requirePermission(caller, 'replay-deliveries')
  if (filterEntries(filter).length === 0) return null
  const { from, where, values } = selectDeliveries(filter)
  const { rows } = await inTransaction(pool(), async (client) => {
    await client.query(rowByRow)
    return client.query<{ count: number; first: Date | null; last: Date | null }>(
      `SELECT count(*)::int AS count, min(received_at) AS first, max(received_at) AS last
       FROM (SELECT d.received_at FROM ${from} WHERE ${where} LIMIT ${maxDeliveries + 1}) matching`,
      [...values],
    )
  })
  const { count = 0, first = null, last = null } = rows[0] ?? {}
  return {
    count: Math.min(count, maxDeliveries),
    tooMany: count > maxDeliveries,
    first: first?.toISOString() ?? null,
    last: last?.toISOString() ?? null,
  }
}

/** Deliveries came through this endpoint, even if it is gone by now. */
export interface Source {
  /** The service gave the endpoint this uuid. */
  readonly uuid: string
  /**
   * The name is the description, or else the url; null when the service does not know the endpoint, or does not
   * answer.
   */
  readonly name: string | null
}

/** Endpoints come newest first. Throws `NotAllowed`. */
export async function listSources(caller: Caller): Promise<Source[]> {
  requirePermission(caller, 'replay-deliveries')
  const [{ rows }, endpoints] = await Promise.all([
    pool().query<{ uuid: string }>(
      'SELECT endpoint_uuid AS uuid FROM receiver GROUP BY endpoint_uuid HAVING endpoint_uuid IS NOT NULL ORDER BY max(created_at) DESC',
    ),
    listEndpoints(caller).catch(onRefusal(Refused, () => [])),
  ])
  const names = new Map(
    endpoints.map(({ uuid, description, url }) => [uuid.toLowerCase(), description || url]),
  )
  return rows.map(({ uuid }) => ({ uuid, name: names.get(uuid) ?? null }))
}
