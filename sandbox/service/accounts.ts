import { z } from '@hono/zod-openapi'
import { DatabaseError } from 'pg'
import type { QueryClient } from '../database/pool.ts'
import type { Ids } from '../state/ids.ts'
import { Refusal, userUnknown } from './refusal.ts'

/** An account is a user of the service (§2.1). */
export type Account = z.output<typeof AccountRowSchema>

export interface NewAccount {
  readonly email: string
  readonly target_address?: string | null | undefined
  readonly first_name: string
  readonly last_name: string
  readonly country: string
  readonly date_of_birth?: string | null | undefined
  readonly phone?: string | null | undefined
}

/**
 * ASSUMED: the first status is CREATED. E-mail, in its exact case, and target_address are each unique; a second user with
 * the same is refused with 409.
 */
export async function createAccount(
  database: QueryClient,
  ids: Ids,
  user: NewAccount,
  now: Date,
): Promise<Account> {
  try {
    const { rows } = await database.query(
      `INSERT INTO account (uuid, email, target_address, first_name, last_name, date_of_birth, phone, country, status, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${columns}`,
      [
        ids.uuid('user'),
        user.email,
        user.target_address ?? null,
        user.first_name,
        user.last_name,
        user.date_of_birth ?? null,
        user.phone ?? null,
        user.country,
        'CREATED',
        now,
      ],
    )
    return AccountRowSchema.parse(rows[0])
  } catch (error) {
    throw alreadyExists(error) ?? error
  }
}

/** An unknown user_uuid gets 404 (§7). */
export async function requireAccount(database: QueryClient, uuid: string): Promise<Account> {
  const { rows } = await database.query(`SELECT ${columns} FROM account WHERE uuid = $1`, [uuid])
  if (!rows[0]) throw userUnknown()
  return AccountRowSchema.parse(rows[0])
}

export async function findAccountByAddress(
  database: QueryClient,
  address: string,
): Promise<Account | undefined> {
  const { rows } = await database.query(
    `SELECT ${columns} FROM account WHERE lower(target_address) = lower($1)`,
    [address],
  )
  return rows[0] ? AccountRowSchema.parse(rows[0]) : undefined
}

export async function listAccounts(database: QueryClient): Promise<Account[]> {
  const { rows } = await database.query(`SELECT ${columns} FROM account ORDER BY number LIMIT 1000`)
  return z.array(AccountRowSchema).parse(rows)
}

export const AccountRowSchema = z
  .object({
    uuid: z.string().meta({ format: 'uuid' }),
    email: z.string().meta({ example: 'someone@demo.test' }),
    target_address: z.string().nullable().meta({ example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }),
    first_name: z.string().meta({ example: 'Ana' }),
    last_name: z.string().meta({ example: 'Ruiz' }),
    date_of_birth: z.string().nullable().meta({ format: 'date' }),
    phone: z.string().nullable().meta({ example: '+34 600 000 000' }),
    country: z.string().meta({ example: 'ES' }),
    status: z.string().meta({ example: 'CREATED' }),
  })
  .openapi('Account', { description: 'A user, as the sandbox keeps it.' })

const columns =
  'uuid, email, target_address, first_name, last_name, date_of_birth::text, phone, country, status'

function alreadyExists(error: unknown) {
  if (!(error instanceof DatabaseError) || error.code !== '23505') return undefined
  return error.constraint === 'account_email'
    ? new Refusal(409, 'EmailAlreadyExistsError', 'A user with this email already exists')
    : new Refusal(409, 'TargetAddressAlreadyExistsError', 'A user with this target_address already exists')
}
