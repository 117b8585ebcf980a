import { randomUUID } from 'node:crypto'
import type { ErrorHandler } from 'hono'
import { html } from 'hono/html'
import type { SandboxWithLoad } from '../load/sandbox-with-load.ts'
import { answerError, Refusal } from '../service/refusal.ts'
import { renderPage } from './page.ts'

/** What a person reads when there is no such page, a form was refused, or a page failed. A program gets JSON. */
export const answerErrorPage =
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
