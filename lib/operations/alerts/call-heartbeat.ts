import 'server-only'
import type pg from 'pg'
import { isLoopbackTrial } from '#lib/platform/addresses/public-address.ts'
import { failureMessage, sendChecked } from '#lib/platform/http/send-checked.ts'
import { limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { type AlertChannel, noteCall } from './channel-store.ts'

const limited = limitedLog(logOf('alerts'), 600_000)

/** The address must answer within this many milliseconds. */
const timeoutMs = 10_000

/** `callHeartbeat` calls the address of a dead man's switch by GET. The line says what was wrong; null for nothing. */
export async function callHeartbeat(
  pool: pg.Pool,
  { id, target }: Pick<AlertChannel, 'id' | 'target'>,
): Promise<string | null> {
  const fault =
    target === null
      ? 'The key that opens its address is gone: give the address again.'
      : await call(target.address)
  await noteCall(pool, id, fault)
  if (fault !== null) limited.warn(id, { channel: id, fault }, 'A dead man’s switch did not answer')
  return fault
}

async function call(address: string): Promise<string | null> {
  const url = new URL(address)
  const headers = { 'user-agent': 'Rampart' }
  const body = new Uint8Array()
  try {
    const given = { url, method: 'GET', headers, body, loopback: isLoopbackTrial(url), timeoutMs } as const
    const status = await sendChecked(given)
    return status >= 200 && status < 300 ? null : `It answered ${status}.`
  } catch (error) {
    return `${failureMessage(error)}.`
  }
}
