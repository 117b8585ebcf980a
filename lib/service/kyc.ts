import 'server-only'
import { z } from 'zod'
import type { ServiceClient } from './client.ts'

/** A token with which another party takes over a user's verification (§4.3), for a user named by uuid (§5.1). */
export function createShareToken(service: ServiceClient, userUuid: string): Promise<string> {
  return service.request(
    { method: 'POST', path: '/user/kyc/applicant/share-token', body: {}, onBehalfOf: { userUuid } },
    ShareTokenSchema,
  )
}

// ASSUMED: the contract shows no answer.
const ShareTokenSchema = z
  .object({ share_token: z.string().min(1).optional(), token: z.string().min(1).optional() })
  .transform((wire, context) => {
    const token = wire.share_token ?? wire.token
    if (token !== undefined) return token
    context.addIssue({ code: 'custom', path: ['share_token'] })
    return z.NEVER
  })
