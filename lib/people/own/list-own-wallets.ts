import 'server-only'
import { type Caller, requirePermission, requireServiceUser } from '#lib/access/caller.ts'
import { listWallets, type WalletView } from '#lib/identity/users/list-wallets.ts'

/** The caller's own wallets, as their page for staff lists them. */
export async function listOwnWallets(caller: Caller): Promise<readonly WalletView[]> {
  requirePermission(caller, 'see-own')
  return (await listWallets('end-user', requireServiceUser(caller))).wallets
}
