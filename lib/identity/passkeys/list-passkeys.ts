import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { prisma } from '#lib/platform/db/prisma.ts'

/** A passkey as its owner sees it. Times are ISO 8601. */
export interface PasskeyView {
  readonly id: string
  readonly name: string
  /** Whether the device says that it keeps a copy elsewhere. */
  readonly backedUp: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** The caller's own passkeys, oldest first. */
export async function listOwnPasskeys({ memberId }: Caller): Promise<PasskeyView[]> {
  if (memberId === null) return []
  const rows = await prisma().passkey.findMany({ where: { memberId }, orderBy: { id: 'asc' } })
  return rows.map(({ id, name, backedUp, createdAt, lastUsedAt }) => ({
    id,
    name,
    backedUp,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }))
}
