import { randomUUID } from 'node:crypto'
import { type ErrorHandler, Hono } from 'hono'
import { html } from 'hono/html'
import type { SandboxWithLoad } from '../load/load.ts'
import { answerError, notFound, Refusal } from '../service/refusal.ts'
import { assets } from './assets.ts'
import { clockPages } from './clock-pages.ts'
import { endpointPages } from './endpoint-pages.ts'
import { eventPages } from './event-pages.ts'
import { faultPages } from './fault-pages.ts'
import { renderPage } from './page.ts'
import { receiverPages } from './receiver-pages.ts'
import { scenarioPages } from './scenario-pages.ts'
import { mailboxPages, refusedPages, resetPages } from './state-pages.ts'
import { userPages } from './user-pages.ts'

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

/** A person reads this page when a page does not exist or fails, or when a form is refused. A program gets JSON. */
const answerErrorPage =
  (sandbox: SandboxWithLoad): ErrorHandler =>
  (error, context) => {
    if (!context.req.header('accept')?.includes('text/html')) return answerError(error, context, sandbox)
    const { status, title, what } = error instanceof Refusal ? refused(error, context.req.method) : failed()
    return renderPage(context, sandbox, {
      title,
      path: context.req.path,
      status,
      body: html`<h1>${title}</h1><p class="sub">${what}.</p><p><a class="btn" href="/">Back to the scenarios</a></p>`,
    })

    function failed() {
      const errorId = randomUUID()
      sandbox.log.error({ err: error, error_id: errorId }, 'page failed')
      return {
        status: 500,
        title: 'Something went wrong',
        what: `The sandbox’s log tells more, under ${errorId}`,
      } as const
    }
  }

const refused = ({ status, message }: Refusal, method: string) => ({
  status,
  title: method === 'GET' ? 'No such page' : 'That did not work',
  what: message,
})
