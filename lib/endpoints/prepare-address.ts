import 'server-only'
import crypto from 'node:crypto'
import { ownAddress } from './own-address.ts'

/** For the create form: an address of this dashboard that no endpoint has. Goes back as `receiverId`. */
export function prepareAddress(): { readonly receiverId: string; readonly url: string } {
  const receiverId = crypto.randomUUID()
  return { receiverId, url: ownAddress(receiverId) }
}
