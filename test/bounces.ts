import crypto from 'node:crypto'
import { prisma } from '#lib/platform/db/prisma.ts'

/** The service has reported that the mail with this person's code could not be delivered (§6.6). */
export const recordBounce = (userUuid: string) =>
  prisma().event.create({
    data: {
      subjectId: userUuid,
      id: crypto.randomUUID(),
      fingerprint: new Uint8Array(32),
      type: 'otpNotification',
      subType: 'EMAIL_DELIVERY_FAILED',
      entityUuid: userUuid,
      position: 0,
      deliveries: 1,
      firstReceivedAt: new Date(),
      lastReceivedAt: new Date(),
      envelope: new Uint8Array(),
    },
  })
