import { Hono } from 'hono'
import type { Sandbox } from '../sandbox.ts'
import { endpointPages } from './endpoint-pages.ts'
import { mailboxPages } from './mailbox-pages.ts'
import { scenarioPages } from './scenario-pages.ts'
import { userPages } from './user-pages.ts'

/** The pages a person opens in a browser. */
export function consoleRoutes(sandbox: Sandbox) {
  const router = new Hono({ strict: false })
  router.route('/', scenarioPages(sandbox))
  router.route('/mailbox', mailboxPages(sandbox))
  router.route('/users', userPages(sandbox))
  router.route('/endpoints', endpointPages(sandbox))
  return router
}
