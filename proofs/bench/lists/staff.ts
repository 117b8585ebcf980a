import type { Caller } from '../../../lib/access/caller.ts'

/** Whoever sees everything. */
export const staff: Caller = {
  id: '00000000-0000-4000-8000-000000000004',
  sessionId: '00000000-0000-4000-8000-000000000003',
  userUuid: null,
  memberId: '00000000-0000-4000-8000-000000000004',
  role: 'support',
  name: null,
  email: null,
  method: 'passkey',
  signedInAt: '2026-09-01T00:00:00.000Z',
  idleExpiresAt: '2026-09-02T00:00:00.000Z',
  expiresAt: '2026-09-02T00:00:00.000Z',
}
