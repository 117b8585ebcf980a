import { randomInt, randomUUID } from 'node:crypto'
import { addSeconds } from '../clock.ts'
import { type Database, transaction } from '../database/transaction.ts'
import { Refusal, unauthorized } from '../http/refusal.ts'
import type { Sandbox } from '../sandbox.ts'
import { otpBounced } from '../scenarios/account-bodies.ts'
import { startPlay } from '../scenarios/play.ts'
import { requireAccount } from './accounts.ts'
import { openSession, type Session } from './sessions.ts'

/** §4.1, OTP trigger: a new code on every call, by mail. ASSUMED: it replaces the older ones, which are dead. */
export async function sendOneTimePassword(sandbox: Sandbox, userUuid: string): Promise<void> {
  const { clock, options } = sandbox
  const now = clock.now()
  const account = await requireAccount(sandbox.pool, userUuid)
  await transaction(sandbox.pool, async (database) => {
    await database.query('select 1 from account where uuid = $1 for update', [account.uuid])
    await requireAllowance(sandbox, database, account.uuid, now)
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    await database.query('delete from one_time_password where user_uuid = $1', [account.uuid])
    await database.query('insert into one_time_password (user_uuid, code, expires_at) values ($1, $2, $3)', [
      account.uuid,
      code,
      addSeconds(now, options.codeMinutes * 60),
    ])
    const bounces = account.email.toLowerCase().endsWith('.invalid')
    await database.query(
      'insert into mail (id, user_uuid, email, code, sent_at, bounced) values ($1, $2, $3, $4, $5, $6)',
      [randomUUID(), account.uuid, account.email, code, now, bounces],
    )
    if (!bounces) return
    const steps = [{ afterSeconds: 2, envelope: otpBounced(account, addSeconds(now, 2)) }]
    await startPlay(database, sandbox, { scenario: 'mail bounced', userUuid: account.uuid, steps, speed: 1 })
  })
}

/** §4.1, OTP exchange. §7: 401 for a wrong, used or expired code. */
export async function signInWithCode(sandbox: Sandbox, userUuid: string, code: string): Promise<Session> {
  const account = await requireAccount(sandbox.pool, userUuid)
  const { rows } = await sandbox.pool.query<{ matches: boolean }>(
    `update one_time_password set wrong_guesses = wrong_guesses + (code <> $2)::int
     where user_uuid = $1 and expires_at > $3 and wrong_guesses < $4
     returning code = $2 as matches`,
    [account.uuid, code, sandbox.clock.now(), sandbox.options.codeGuesses],
  )
  if (!rows[0]?.matches || !(await spend(sandbox, account.uuid, code))) {
    throw unauthorized('The one-time password is wrong or has expired')
  }
  return openSession(sandbox, account.uuid)
}

/** Deletes the code; only one of two simultaneous calls finds it. */
async function spend(sandbox: Sandbox, userUuid: string, code: string) {
  const { rowCount } = await sandbox.pool.query(
    'delete from one_time_password where user_uuid = $1 and code = $2',
    [userUuid, code],
  )
  return rowCount === 1
}

async function requireAllowance(sandbox: Sandbox, database: Database, userUuid: string, now: Date) {
  const seconds = sandbox.options.codeWindowMinutes * 60
  const { rows } = await database.query<{ sent_at: Date }>(
    'select sent_at from mail where user_uuid = $1 and sent_at > $2 order by sent_at desc limit $3',
    [userUuid, addSeconds(now, -seconds), sandbox.options.codesPerWindow],
  )
  const oldest = rows[sandbox.options.codesPerWindow - 1]
  if (!oldest) return
  const wait = Math.max(1, Math.ceil((addSeconds(oldest.sent_at, seconds).getTime() - now.getTime()) / 1000))
  throw new Refusal(429, 'TooManyRequestsError', `Too many codes, try again in ${wait} seconds`, {
    'Retry-After': String(wait),
  })
}
