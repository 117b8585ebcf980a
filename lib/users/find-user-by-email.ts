import 'server-only'
import { prisma } from '#lib/db/prisma.ts'
import { emailKey } from './email-key.ts'

/** The user whom the directory knows by this e-mail address. */
export const findUserByEmail = (email: string): Promise<{ readonly userUuid: string } | null> =>
  prisma().person.findUnique({ where: { emailKey: emailKey(email) }, select: { userUuid: true } })
