import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { MiddlewareHandler } from 'hono'
import type { Sandbox } from '../state/sandbox.ts'

/** The `Date` of every answer is the sandbox's own time, by which it checks sign-in messages (§5.2), not the machine's. */
export function sayTime({ clock }: Sandbox): MiddlewareHandler {
  return async (context, next) => {
    await next()
    // An answer that was dropped on purpose is one object for all of them, and stays as it is.
    if (context.res !== RESPONSE_ALREADY_SENT) context.header('Date', clock.now().toUTCString())
  }
}
