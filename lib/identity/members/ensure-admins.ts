import 'server-only'
import { uuidv7 } from 'uuidv7'
import { noCallSource } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { logOf } from '#lib/platform/log.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getUser } from '#lib/service/users.ts'
import { type KnownUser, saveToDirectory } from '../users/save-to-directory.ts'

const log = logOf('team')

/**
 * The users of `RAMPART_ADMINS` become admins at the start. A service that does not answer does not stop the
 * start: the names come later. All admins are notified of each new one.
 */
export async function ensureAdmins(): Promise<void> {
  for (const userUuid of env().admins) {
    const user = await findUser(userUuid)
    const name = [user?.firstName, user?.lastName].filter(Boolean).join(' ') || user?.email || 'Administrator'
    await inTransaction(pool(), async (tx) => {
      if (user) await saveToDirectory(tx, { ...user, userUuid }, 'admin')
      const { rows } = await tx.query<{ id: string; name: string }>(MAKE_ADMIN, [uuidv7(), userUuid, name])
      const [made] = rows
      if (!made) return
      const details = { by: setting }
      const entry = {
        actor: commandLine,
        action: 'member.admin',
        target: userUuid,
        outcome: 'done',
        details,
      } as const
      await recordAudit(tx, entry, noCallSource)
      const actor = { id: commandLine.id, name: setting }
      const facts = { member: made.name, role: roleLabels.admin }
      await tellAdmins(tx, { kind: 'member-joined', actor, about: made.id, facts })
    })
  }
}

const setting = 'RAMPART_ADMINS'

/** No row is returned for a user who is an admin already. */
const MAKE_ADMIN = `
  INSERT INTO member AS known (id, user_uuid, name, role) VALUES ($1, $2, $3, 'admin')
  ON CONFLICT (user_uuid) DO UPDATE SET role = 'admin', removed_at = NULL
  WHERE known.role <> 'admin' OR known.removed_at IS NOT NULL
  RETURNING id, name`

async function findUser(userUuid: string): Promise<KnownUser | null> {
  try {
    return await getUser(serviceClient(), { userUuid })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ userUuid, err: error }, 'A user of RAMPART_ADMINS could not be read; the name comes later')
    return null
  }
}
