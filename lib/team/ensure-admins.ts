import 'server-only'
import { uuidv7 } from 'uuidv7'
import { prisma } from '#lib/db/prisma.ts'
import { env } from '#lib/env.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { getUser } from '#lib/service/users.ts'
import { service } from '#lib/service-connection.ts'
import { joinDirectory, type KnownUser } from '#lib/users/join-directory.ts'

/**
 * At start: makes the users of `RAMPART_ADMINS` members with the role admin. A service that does not answer
 * does not stop the start: the names come later.
 */
export async function ensureAdmins(): Promise<void> {
  for (const userUuid of env().admins) {
    const user = await findUser(userUuid)
    if (user) await joinDirectory({ ...user, userUuid }, 'admin')
    const name = [user?.firstName, user?.lastName].filter(Boolean).join(' ') || user?.email || 'Administrator'
    await prisma().member.upsert({
      where: { userUuid },
      create: { id: uuidv7(), userUuid, name, role: 'admin' },
      update: { role: 'admin', removedAt: null },
    })
  }
}

async function findUser(userUuid: string): Promise<KnownUser | null> {
  try {
    return await getUser(service(), { userUuid })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    console.error(`RAMPART_ADMINS: ${userUuid} could not be read (${error.code})`)
    return null
  }
}
