import type { Hook } from '@hono/zod-openapi'
import { OpenAPIHono, type z } from '@hono/zod-openapi'
import type { Env } from 'hono'
import { badRequest } from '../service/refusal.ts'
import type { BrokenRule } from '../state/refusals.ts'

/** A router whose requests are checked by the schemas of its routes; what does not fit is a 400 that says where. */
export const createRouter = <E extends Env = Env>() =>
  // Both spellings of a path are one: the contract writes POST /auth/otp/ with its slash (§4.1).
  new OpenAPIHono<E>({ strict: false, defaultHook: refuseInvalid })

// biome-ignore lint/suspicious/noExplicitAny: the library's own signature for a hook of every route
const refuseInvalid: Hook<any, any, any, any> = (result, context) => {
  // The library takes a body that is not there for {}, which is right wherever every field may be left out.
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

/** Every rule that is broken, those of each alternative of a union too. A schema's messages quote no values. */
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
