import 'server-only'
import crypto from 'node:crypto'
import { receiverUrl } from '#lib/platform/addresses/receiver-url.ts'

/** For the create form: an address of this dashboard that no endpoint has. Goes back as `receiverId`. */
export function newReceiverAddress(): { readonly receiverId: string; readonly url: string } {
  const receiverId = crypto.randomUUID()
  return { receiverId, url: receiverUrl(receiverId) }
}
