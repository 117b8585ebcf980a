import 'server-only'
import { pool } from '#lib/db/pool.ts'
import type { Role } from '#lib/domain/access/roles.ts'
import { showRecord } from '#lib/domain/access/show-record.ts'

/** A wallet that a person's transactions or account named. */
export interface WalletView {
  readonly address: string
  /** Whether sign-in messages must be signed by it (§2.1). */
  readonly signsIn: boolean
}

/** At most `mostWallets` wallets of a person. */
export interface WalletsView {
  readonly wallets: readonly WalletView[]
  /** Whether more are named among the latest 200 transactions. */
  readonly hasMoreWallets: boolean
}

const mostWallets = 8

/** The wallet of the account, then those of the latest transactions. The caller has checked access. */
export async function listWallets(role: Role, userUuid: string): Promise<WalletsView> {
  const { rows } = await pool().query<{ address: string; signs_in: boolean }>(WALLETS, [
    userUuid,
    mostWallets + 1,
  ])
  return {
    wallets: rows
      .slice(0, mostWallets)
      .map(({ address, signs_in }) => showRecord(role, 'wallet', { address, signsIn: signs_in })),
    hasMoreWallets: rows.length > mostWallets,
  }
}

const WALLETS = `
  WITH latest AS MATERIALIZED (
    SELECT details, started_at FROM transaction WHERE user_uuid = $1 ORDER BY started_at DESC LIMIT 200
  ), named AS (
    SELECT target_address AS address, true AS signs_in, now() AS at FROM person WHERE user_uuid = $1::uuid
    UNION ALL SELECT details ->> 'walletAddress', false, started_at FROM latest
    UNION ALL SELECT details ->> 'sendingAddress', false, started_at FROM latest
  )
  SELECT (array_agg(address ORDER BY signs_in DESC, at DESC))[1] AS address, bool_or(signs_in) AS signs_in
  FROM named WHERE address IS NOT NULL GROUP BY lower(address) ORDER BY bool_or(signs_in) DESC, max(at) DESC LIMIT $2`
