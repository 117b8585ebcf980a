import { randomUUID } from 'node:crypto'
import type { Context, ErrorHandler, MiddlewareHandler } from 'hono'
import { html } from 'hono/html'
import { Refusal } from '../http/refusal.ts'
import type { Sandbox } from '../sandbox.ts'
import { renderPage } from './page.ts'

/** What a person reads who opened a page that is none; a program gets the answer that it gets everywhere. */
export const unknownPage =
  (sandbox: Sandbox): MiddlewareHandler =>
  async (context, next) => {
    if (!context.req.header('accept')?.includes('text/html')) return next()
    return errorPage(context, sandbox, 404, 'No such page', `There is nothing at ${context.req.path}.`)
  }

/** What a person reads when a form was refused or a page failed. */
export const answerErrorPage =
  (sandbox: Sandbox): ErrorHandler =>
  (error, context) => {
    if (error instanceof Refusal)
      return errorPage(context, sandbox, error.status, 'That did not work', error.message)
    const errorId = randomUUID()
    sandbox.log.error({ err: error, error_id: errorId }, 'page failed')
    return errorPage(
      context,
      sandbox,
      500,
      'Something went wrong',
      `The sandbox’s log tells more, under ${errorId}.`,
    )
  }

const errorPage = (
  context: Context,
  sandbox: Sandbox,
  status: Refusal['status'],
  title: string,
  what: string,
) =>
  renderPage(context, sandbox, {
    title,
    path: context.req.path,
    status,
    body: html`<h1>${title}</h1><p class="sub">${what}</p><p><a class="btn" href="/">Back to the scenarios</a></p>`,
  })
