import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'

/** What a change has to do with the person who made it. */
export interface Involvement {
  readonly endpointUuid: string
  readonly made?: boolean
  /** Its secret is another one now: whoever saw the one before knows nothing any more. */
  readonly newSecret?: boolean
  /** The secret is shown to them. */
  readonly sawSecret?: boolean
  /** It is deleted. */
  readonly gone?: boolean
}

/** Keeps who made an endpoint and who knows its secret, for the day on which they leave the team. */
export async function recordInvolvement(
  tx: Transaction,
  person: string,
  { endpointUuid, made, newSecret, sawSecret, gone }: Involvement,
): Promise<void> {
  if (gone) await tx.query(END_ALL, [endpointUuid])
  if (newSecret) await tx.query(END_SECRETS, [endpointUuid])
  if (made) await tx.query(INVOLVE, [endpointUuid, person, 'made'])
  if (sawSecret) await tx.query(INVOLVE, [endpointUuid, person, 'saw-secret'])
}

const END_ALL = 'UPDATE endpoint_person SET ended_at = now() WHERE endpoint_uuid = $1 AND ended_at IS NULL'

const END_SECRETS = `${END_ALL} AND what = 'saw-secret'`

const INVOLVE = `
  INSERT INTO endpoint_person (endpoint_uuid, person, what) VALUES ($1, $2, $3)
  ON CONFLICT (endpoint_uuid, person, what) DO UPDATE SET at = now(), ended_at = NULL`
