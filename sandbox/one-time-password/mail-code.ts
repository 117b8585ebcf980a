import type { QueryClient } from '../database/transaction.ts'
import { otpBounced } from '../scenarios/account-bodies.ts'
import { startPlay } from '../scenarios/play.ts'
import type { Account } from '../service/accounts.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'

/**
 * Puts the mail with a code into the mailbox, and on its way when there is a mail server. The job and the code are one
 * transaction: neither exists without the other. ASSUMED: mails to addresses that end in .invalid bounce; they never leave.
 */
export async function mailCode(
  sandbox: Sandbox,
  database: QueryClient,
  account: Account,
  code: string,
  now: Date,
): Promise<void> {
  const id = sandbox.ids.uuid('mail')
  const bounces = account.email.toLowerCase().endsWith('.invalid')
  await database.query(
    'INSERT INTO mail (id, user_uuid, email, code, sent_at, bounced) VALUES ($1, $2, $3, $4, $5, $6)',
    [id, account.uuid, account.email, code, now, bounces],
  )
  if (bounces) await reportBounce(sandbox, database, account)
  else if (sandbox.smtpUrl) await database.query(QUEUE, [id])
}

/** §6.6: notifies the endpoints. ASSUMED: 2 s after the mail came back. `reply` is the mail server's answer. */
export async function reportBounce(
  sandbox: Sandbox,
  database: QueryClient,
  account: Pick<Account, 'uuid' | 'email'>,
  reply?: string,
): Promise<void> {
  const envelope = otpBounced(account, addSeconds(sandbox.clock.now(), bounceSeconds), reply)
  const steps = [{ afterSeconds: bounceSeconds, envelope }]
  await startPlay(database, sandbox, { scenario: 'mail bounced', userUuid: account.uuid, steps, speed: 1 })
}

const bounceSeconds = 2

/** Mails leave one after the other, so that a mail server that hangs keeps nothing else waiting. */
const QUEUE = `SELECT add_job('mail', json_build_object('mail', $1::uuid), queue_name := 'mail')`
