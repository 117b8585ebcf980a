import crypto from 'node:crypto'
import { pool } from '#lib/platform/db/pool.ts'
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

/** The person signed in at this time, by `code` or another method. */
export const recordSignIn = (userUuid: string, method: string, at: Date) =>
  pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, created_at, idle_expires_at, expires_at)
     VALUES (gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), $1, $2, 'end-user', $3, $3, $3)`,
    [userUuid, method, at],
  )
