import 'server-only'
import { env } from '#lib/env.ts'

/** How the merchant is called on pages for their customers: the demo's name with the sandbox, else the public host. */
export function merchant(): { readonly name: string } {
  const { sandboxUrl, publicUrl } = env()
  return { name: sandboxUrl ? 'Demo Merchant' : publicUrl.hostname }
}
