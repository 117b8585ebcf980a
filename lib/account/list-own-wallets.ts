import 'server-only'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { requireServiceUser } from '#lib/request/require-service-user.ts'
import { listWallets, type WalletView } from '#lib/users/list-wallets.ts'

/** The caller's own wallets, as their page for staff lists them. */
export async function listOwnWallets(caller: Caller): Promise<readonly WalletView[]> {
  requirePermission(caller, 'see-own')
  return (await listWallets('end-user', requireServiceUser(caller))).wallets
}
