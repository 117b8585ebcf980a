import 'server-only'
import type { Role } from '#lib/domain/access/roles.ts'

/** Who is calling, as the session row says it now. Times are ISO 8601. */
export interface Caller {
  readonly userUuid: string
  readonly sessionId: string
  /** Null for end users. */
  readonly memberId: string | null
  readonly role: Role
  readonly name: string | null
  readonly email: string | null
  /** When the person last proved who they are. */
  readonly signedInAt: string
  /** When the session ends at the latest. */
  readonly expiresAt: string
}
