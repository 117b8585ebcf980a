import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'

/** A code that was asked for, as the audit has it. */
export interface CodeRequestView {
  /** ISO 8601. */
  readonly at: string
  /** Null when the service took the request; else why it did not send one. */
  readonly why: string | null
  /** As the browser that asked for it says. */
  readonly userAgent: string | null
}

/** The codes that were asked for in the last day for a person whom the directory knows, newest first, at most 20. For people to read. */
export async function listCodeRequests(userUuid: string): Promise<CodeRequestView[]> {
  const { rows } = await pool().query<CodeRequestRow>(LIST, [userUuid])
  return rows.map(({ at, why, user_agent }) => ({ at: at.toISOString(), why, userAgent: user_agent }))
}

interface CodeRequestRow {
  readonly at: Date
  readonly why: string | null
  readonly user_agent: string | null
}

const LIST = `
  SELECT at, details->>'why' AS why, user_agent FROM audit
  WHERE target = $1 AND action = 'code.request' AND at > now() - interval '1 day'
  ORDER BY at DESC, id DESC LIMIT 20`
