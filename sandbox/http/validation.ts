import type { Hook } from '@hono/zod-openapi'
import { OpenAPIHono, type z } from '@hono/zod-openapi'
import type { Env } from 'hono'
import { badRequest } from '../service/refusal.ts'
import type { BrokenRule } from '../state/refusals.ts'

/** A router checks requests by the schemas of its routes. A request that does not fit gets a 400 that names the place. */
export const createRouter = <E extends Env = Env>() =>
  // Both spellings of a path are the same, because the contract writes POST /auth/otp/ with its slash (§4.1).
  new OpenAPIHono<E>({ strict: false, defaultHook: refuseInvalid })

// biome-ignore lint/suspicious/noExplicitAny: the library's own signature for a hook of every route
const refuseInvalid: Hook<any, any, any, any> = (result, context) => {
  // The library reads a missing body as {}, which is right when every field is optional.
  if (result.target === 'json' && !context.req.header('content-type'))
    throw badRequest('A JSON body is needed')
  if (result.success) return
  const issue = result.error.issues[0]
  const where = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  throw badRequest(
    `${where}${issue?.message ?? 'invalid'}`,
    ...faultsIn(result.error.issues, result.target === 'json' ? 'body' : result.target),
  )
}

/** The list holds every broken rule, those of each alternative of a union too. A schema's messages quote no values. */
function faultsIn(issues: readonly z.core.$ZodIssue[], within: string): BrokenRule[] {
  return issues.flatMap((issue) => {
    const where = [within, ...issue.path].map(String).join('.')
    const alternatives = issue.code === 'invalid_union' ? issue.errors : []
    return [
      { where, rule: issue.message },
      ...alternatives.flatMap((errors, index) => faultsIn(errors, `${where} as alternative ${index + 1}`)),
    ]
  })
}
