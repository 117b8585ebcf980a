import crypto from 'node:crypto'
import { prisma } from '#lib/platform/db/prisma.ts'

/**
 * The service has reported that the mail with this person's code could not be delivered (§6.6). `timestamp` is the time that
 * it gives, or another text; none by default. `receivedAt` is now by default.
 */
export const recordBounce = (userUuid: string, timestamp?: string, receivedAt = new Date()) =>
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
      firstReceivedAt: receivedAt,
      lastReceivedAt: receivedAt,
      envelope: new TextEncoder().encode(
        timestamp === undefined ? '' : JSON.stringify({ data: { timestamp } }),
      ),
    },
  })
