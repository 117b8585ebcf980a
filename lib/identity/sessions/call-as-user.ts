import 'server-only'
import { type Caller, noCallSource, requireServiceUser } from '#lib/access/caller.ts'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { unseal } from '#lib/platform/keys/seal.ts'
import { Refused, SignInAgain } from '#lib/platform/refusals.ts'
import type { OnBehalfOf } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { explainUnauthorized, serviceClient } from '#lib/service/service-client.ts'

/**
 * A user-scoped call (§5.1) runs with the caller's service session. After a 401 (§5.4, §7) the service session
 * is dropped, unless the API key was refused: then the audit records that and the watcher notifies admins.
 * Throws `Refused` without an account at the service, and `SignInAgain` without a service session.
 */
export async function callAsUser<T>(caller: Caller, call: (as: OnBehalfOf) => Promise<T>): Promise<T> {
  requireServiceUser(caller)
  const serviceSessionId = await findServiceSession(caller.sessionId)
  if (serviceSessionId === null) throw new SignInAgain()
  try {
    return await call({ serviceSessionId })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unauthorized') throw error
    if ((await explainUnauthorized(serviceClient())) === 'key-refused') {
      await recordAuditAlone(
        { actor: caller, action: 'service.key-refused', outcome: 'failed' },
        noCallSource,
      )
      throw new Refused('key-refused')
    }
    await dropServiceSession(caller.sessionId)
    throw new SignInAgain()
  }
}

async function findServiceSession(sessionId: string): Promise<string | null> {
  const row = await prisma().session.findUnique({
    where: { id: sessionId },
    select: { serviceSession: true, serviceKeyId: true, endedAt: true },
  })
  if (!row?.serviceSession || !row.serviceKeyId || row.endedAt) return null
  return unseal({ bytes: row.serviceSession, keyId: row.serviceKeyId }, sessionId)
}

async function dropServiceSession(sessionId: string) {
  await prisma().session.updateMany({
    where: { id: sessionId },
    data: { serviceSession: null, serviceKeyId: null },
  })
}
