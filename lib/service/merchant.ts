import 'server-only'
import { z } from 'zod'
import type { ServiceClient } from './client.ts'

/**
 * Whatever the service says of the merchant (§4.3). ASSUMED: at this path; the contract names `GET /merchant/*` and no
 * shape, so it is shown as it comes.
 */
export function getMerchantConfiguration(service: ServiceClient): Promise<unknown> {
  return service.request({ method: 'GET', path: '/merchant/configuration' }, z.unknown())
}
