import 'server-only'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf, lowerCase } from '#lib/platform/db/statements.ts'

/** A wallet of a person comes with its sources. */
export interface WalletView {
  readonly address: string
  /** True when sign-in messages must be signed by it (§2.1). */
  readonly signsIn: boolean
  /** An event said that the wallet was created for the person. */
  readonly created: boolean
  /** Transactions of the person name the wallet. */
  readonly used: boolean
}

/** At most `mostWallets` wallets of a person are listed, in the same way for staff and for the person. */
export interface WalletsView {
  readonly wallets: readonly WalletView[]
  /** True when the latest 200 transactions name more. */
  readonly hasMoreWallets: boolean
}

const mostWallets = 8

/**
 * The wallet of the account comes first, then created wallets, then those of the latest transactions. The
 * caller has checked access.
 */
export async function listWallets(role: Role, userUuid: string): Promise<WalletsView> {
  const created = await readCreated(userUuid)
  const { rows } = await pool().query<WalletRow>(WALLETS, [
    userUuid,
    mostWallets + 1,
    created.map(({ address }) => address),
    created.map(({ at }) => at),
  ])
  return {
    wallets: rows
      .slice(0, mostWallets)
      .map(({ address, signs_in: signsIn, created: made, used }) =>
        showRecord(role, 'wallet', { address, signsIn, created: made, used }),
      ),
    hasMoreWallets: rows.length > mostWallets,
  }
}

interface WalletRow {
  readonly address: string
  readonly signs_in: boolean
  readonly created: boolean
  readonly used: boolean
}

/** The latest events name these wallets; §6.7 shows no data of them. ASSUMED: `walletAddress`. */
async function readCreated(userUuid: string): Promise<{ readonly address: string; readonly at: Date }[]> {
  const { rows } = await pool().query<{ body: Buffer | null; at: Date }>(CREATED, [
    subjectId({ kind: 'entity', id: userUuid }),
  ])
  return rows.flatMap(({ body, at }) => {
    const reading = body && parseEnvelope(body)
    const address = reading?.kind === 'envelope' ? textField(reading.envelope.data, 'walletAddress') : null
    return address === null ? [] : [{ address, at }]
  })
}

const CREATED = `
  WITH kept AS MATERIALIZED (
    SELECT id, envelope, position, first_received_at AS at FROM event
    WHERE subject_id = $1 AND type = 'walletCreated' ORDER BY position DESC LIMIT 20
  ) SELECT ${bodyOf('kept')} AS body, at FROM kept ORDER BY position DESC`

const WALLETS = `
  WITH latest AS MATERIALIZED (
    SELECT details, started_at FROM transaction WHERE user_uuid = $1 ORDER BY started_at DESC LIMIT 200
  ), named AS (
    SELECT target_address AS address, 'account' AS source, now() AS at FROM person WHERE user_uuid = $1::uuid
    UNION ALL SELECT address, 'created', at FROM unnest($3::text[], $4::timestamptz[]) AS created (address, at)
    UNION ALL SELECT details ->> 'walletAddress', 'used', started_at FROM latest
    UNION ALL SELECT details ->> 'sendingAddress', 'used', started_at FROM latest
  )
  SELECT (array_agg(address ORDER BY source, at DESC))[1] AS address, bool_or(source = 'account') AS signs_in,
    bool_or(source = 'created') AS created, bool_or(source = 'used') AS used
  FROM named WHERE address IS NOT NULL GROUP BY ${lowerCase('address')}
  ORDER BY signs_in DESC, created DESC, max(at) DESC LIMIT $2`
