import 'server-only'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import { prisma } from '#lib/db/prisma.ts'
import type { CallSource } from './request-context.ts'
import { digestToken } from './token.ts'

/**
 * Ends the session of this token on the server; its cookie is worth nothing from then on.
 * The service has no logout (§5.4): its session id is forgotten here.
 */
export async function endSession(
  token: string,
  why: 'signed-out' | 'replaced',
  source: CallSource,
): Promise<void> {
  const [ended] = await prisma().session.updateManyAndReturn({
    where: { tokenDigest: digestToken(token), endedAt: null },
    data: { endedAt: new Date(), endReason: why, serviceSession: null, serviceKeyId: null },
  })
  if (!ended) return
  const { userUuid, role } = ended
  await recordAuditAlone(
    { actor: { userUuid, role }, action: 'session.end', outcome: 'done', details: { why } },
    source,
  )
}
