import 'server-only'
import { prisma } from '#lib/platform/db/prisma.ts'
import { digestToken } from './token.ts'

/** Whose session this was, ended or not, as `Caller.id`; it says nothing about who is calling. */
export async function findSessionOwner(token: string): Promise<string | null> {
  const row = await prisma().session.findUnique({
    where: { tokenDigest: digestToken(token) },
    select: { userUuid: true, memberId: true },
  })
  return row?.userUuid ?? row?.memberId ?? null
}
