import { Hono } from 'hono'
import type { SandboxWithLoad } from '../load/sandbox-with-load.ts'
import { notFound } from '../service/refusal.ts'
import { assets } from './assets.ts'
import { clockPages } from './clock-pages.ts'
import { endpointPages } from './endpoint-pages.ts'
import { answerErrorPage } from './error-pages.ts'
import { eventPages } from './event-pages.ts'
import { faultPages } from './fault-pages.ts'
import { mailboxPages } from './mailbox-pages.ts'
import { receiverPages } from './receiver-pages.ts'
import { refusedPages } from './refused-pages.ts'
import { resetPages } from './reset-pages.ts'
import { scenarioPages } from './scenario-pages.ts'
import { userPages } from './user-pages.ts'

/** The pages a person opens in a browser. */
export function consoleRoutes(sandbox: SandboxWithLoad) {
  const router = new Hono({ strict: false })
  router.route('/', assets())
  router.route('/', scenarioPages(sandbox))
  router.route('/mailbox', mailboxPages(sandbox))
  router.route('/users', userPages(sandbox))
  router.route('/endpoints', endpointPages(sandbox))
  router.route('/receiver', receiverPages(sandbox))
  router.route('/events', eventPages(sandbox))
  router.route('/clock', clockPages(sandbox))
  router.route('/faults', faultPages(sandbox))
  router.route('/refused', refusedPages(sandbox))
  router.route('/reset', resetPages(sandbox))
  router.get('*', (context) => {
    throw notFound(`There is nothing at ${context.req.path}`)
  })
  router.onError(answerErrorPage(sandbox))
  return router
}
