import 'server-only'
import { prisma } from '#lib/db/prisma.ts'
import { emailKey } from './email-key.ts'

/** What is known of a user of the service; null where it said nothing. */
export interface KnownUser {
  readonly userUuid: string
  readonly email: string | null
  readonly targetAddress: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly country: string | null
  readonly status: string | null
}

/**
 * Enters a user into the directory or brings the entry up to date. What the service left out stays as it was.
 * @param source how the user was first met
 */
export async function joinDirectory(user: KnownUser, source: 'sign-up' | 'sign-in' | 'admin'): Promise<void> {
  const { userUuid, email, targetAddress, firstName, lastName, country, status } = user
  const key = email === null ? null : emailKey(email)
  const told = Object.fromEntries(
    Object.entries({ email, emailKey: key, targetAddress, firstName, lastName, country, status }).filter(
      ([, value]) => value !== null,
    ),
  )
  await prisma().$transaction([
    // An address belongs to whom the service named last.
    prisma().person.updateMany({
      where: { emailKey: key ?? '', userUuid: { not: userUuid } },
      data: { emailKey: null },
    }),
    prisma().person.upsert({
      where: { userUuid },
      create: { userUuid, source, ...told },
      update: { ...told, updatedAt: new Date() },
    }),
  ])
}
