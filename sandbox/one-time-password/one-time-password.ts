import { type QueryClient, transaction } from '../database/pool.ts'
import { requireAccount } from '../service/accounts.ts'
import { Refusal, unauthorized } from '../service/refusal.ts'
import { openServiceSession, type Session } from '../service/sessions.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'
import { mailCode } from './mail.ts'

/**
 * Every call sends a new code by mail (§4.1, OTP trigger). `olderCodes` decides on the codes before it. ASSUMED: six digits.
 */
export async function sendOneTimePassword(sandbox: Sandbox, userUuid: string): Promise<void> {
  const account = await requireAccount(sandbox.pool, userUuid)
  await transaction(sandbox.pool, async (database) => {
    await lockCodes(database, account.uuid)
    const now = sandbox.clock.now()
    await requireAllowance(sandbox, database, account.uuid, now)
    const code = String(sandbox.ids.whole('code', 1_000_000)).padStart(6, '0')
    await keepCode(sandbox, database, account.uuid, code, now)
    await mailCode(sandbox, database, account, code, now)
  })
}

/** A code is exchanged for a session (§4.1, OTP exchange). A wrong, used or expired code gets 401 (§7). */
export async function exchangeOneTimePassword(
  sandbox: Sandbox,
  userUuid: string,
  code: string,
): Promise<Session> {
  const account = await requireAccount(sandbox.pool, userUuid)
  const used = await transaction(sandbox.pool, async (database) => {
    await lockCodes(database, account.uuid)
    return consumeCode(sandbox, database, account.uuid, code)
  })
  if (used !== true)
    throw unauthorized('The one-time password is wrong or has expired', {
      where: 'body.one_time_password',
      rule: used,
    })
  return openServiceSession(sandbox, account.uuid)
}

/** The lock on a user's codes makes each code work once and every guess count. */
const lockCodes = (database: QueryClient, userUuid: string) =>
  database.query('SELECT 1 FROM account WHERE uuid = $1 FOR UPDATE', [userUuid])

async function keepCode(sandbox: Sandbox, database: QueryClient, userUuid: string, code: string, now: Date) {
  const { olderCodes, codeMinutes } = sandbox.options
  await database.query('DELETE FROM one_time_password WHERE user_uuid = $1 AND ($2 OR expires_at <= $3)', [
    userUuid,
    olderCodes === 'dead',
    now,
  ])
  await database.query('INSERT INTO one_time_password (user_uuid, code, expires_at) VALUES ($1, $2, $3)', [
    userUuid,
    code,
    addSeconds(now, codeMinutes * 60),
  ])
}

/** A live code is used up, or the answer says why not. A wrong guess counts against every live code. */
async function consumeCode(
  sandbox: Sandbox,
  database: QueryClient,
  userUuid: string,
  code: string,
): Promise<true | string> {
  const live = 'user_uuid = $1 AND expires_at > $2 AND wrong_guesses < $3'
  const values = [userUuid, sandbox.clock.now(), sandbox.options.codeGuesses]
  const { rowCount } = await database.query(`DELETE FROM one_time_password WHERE ${live} AND code = $4`, [
    ...values,
    code,
  ])
  if (rowCount) return true
  const { rows } = await database.query<{ code: string; expires_at: Date; wrong_guesses: number }>(
    'SELECT code, expires_at, wrong_guesses FROM one_time_password WHERE user_uuid = $1 ORDER BY id DESC',
    [userUuid],
  )
  await database.query(`UPDATE one_time_password SET wrong_guesses = wrong_guesses + 1 WHERE ${live}`, values)
  const same = rows.find((row) => row.code === code)
  if (same && same.expires_at <= sandbox.clock.now())
    return `must be live; this code expired at ${same.expires_at.toISOString()}`
  if (same) return `must be live; this code is dead after ${same.wrong_guesses} wrong guesses`
  return rows.length > 0
    ? 'must be the newest code that was mailed to the user; it is another'
    : 'must be a code that waits; none does: none was sent, or it was used'
}

async function requireAllowance(sandbox: Sandbox, database: QueryClient, userUuid: string, now: Date) {
  const { codesPerWindow, codeWindowMinutes, retryAfter } = sandbox.options
  const seconds = codeWindowMinutes * 60
  const { rows } = await database.query<{ sent_at: Date }>(
    'SELECT sent_at FROM mail WHERE user_uuid = $1 AND sent_at > $2 AND sent_at <= $4 ORDER BY sent_at DESC LIMIT $3',
    [userUuid, addSeconds(now, -seconds), codesPerWindow, now],
  )
  const oldest = rows[codesPerWindow - 1]
  if (!oldest) return
  const wait = Math.max(1, Math.ceil((addSeconds(oldest.sent_at, seconds).getTime() - now.getTime()) / 1000))
  throw new Refusal(
    429,
    'TooManyRequestsError',
    `Too many codes, try again in ${wait} seconds`,
    retryAfter ? { 'Retry-After': String(wait) } : {},
  )
}
