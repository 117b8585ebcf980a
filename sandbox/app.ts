import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { METHOD_NAME_ALL } from 'hono/router'
import { docsPage } from './console/docs-page.ts'
import { consoleRoutes } from './console/routes.ts'
import { clockRoutes } from './control/clock-routes.ts'
import { eventRoutes } from './control/event-routes.ts'
import { endpointTroubleRoutes, faultRoutes } from './control/fault-routes.ts'
import { loadRoutes } from './control/load-routes.ts'
import { namespaceRoutes } from './control/namespace-routes.ts'
import { sessionRoutes } from './control/session-routes.ts'
import { stateRoutes } from './control/state-routes.ts'
import {
  injectCallFaults,
  requireApiKey,
  requireOwnHost,
  requireOwnKey,
  sayTime,
} from './http/credentials.ts'
import { endpointRoutes } from './http/endpoint-routes.ts'
import { asOpenApi30, describeControls, describeService } from './http/openapi.ts'
import { createRouter } from './http/shapes.ts'
import { signInRoutes } from './http/sign-in-routes.ts'
import { merchantRoutes, userRoutes } from './http/user-routes.ts'
import type { SandboxWithLoad } from './load/load.ts'
import type { Namespaces } from './namespaces.ts'
import { answerError, badRequest, notFound, withoutKey } from './service/refusal.ts'

/** The app serves the contract under its onboarding path, the control interface, and the console. */
export function createApp(sandbox: SandboxWithLoad, namespaces: Namespaces) {
  const { log, port, controlHosts } = sandbox
  const app = createRouter()

  app.use(async (context, next) => {
    const started = performance.now()
    await next()
    const ms = Math.round(performance.now() - started)
    log.debug(
      { method: context.req.method, path: withoutKey(context.req.path), status: context.res.status, ms },
      'request',
    )
  })
  if (new URL(sandbox.publicUrl).protocol === 'https:')
    app.use(async (context, next) => {
      await next()
      context.header('Strict-Transport-Security', 'max-age=31536000')
    })
  app.use(bodyLimit({ maxSize: 1024 * 1024 }))
  app.use(async (context, next) => {
    // Node joins two Host headers with a comma. The readers of the other headers refuse such a value themselves.
    if (context.req.header('host')?.includes(',')) throw badRequest('Host must be given once')
    await next()
  })

  const base = new URL(sandbox.publicUrl).pathname.replace(/\/$/, '')
  const own = createRouter()
  const service = createRouter()
  const ofService =
    (middleware: MiddlewareHandler): MiddlewareHandler =>
    (context, next) =>
      // The service may be at /, or else around the console, the controls or the documents.
      methods.some((method) => exists(own, method, context.req.path)) ? next() : middleware(context, next)
  service.use(ofService(sayTime(sandbox)))
  service.use(ofService(injectCallFaults(sandbox)))
  service.use(
    ofService(async (context, next) => {
      const path = context.req.path.slice(base.length)
      const has = (method: string) => exists(service, method, path)
      // A caller without a key gets 404 for a method that a path does not have, and does not learn which paths exist.
      if (!has(context.req.method === 'HEAD' ? 'GET' : context.req.method) && methods.some(has))
        unknownPath(context)
      await next()
    }),
  )
  service.use(ofService(requireApiKey(sandbox.apiKey)))
  service.route('/', signInRoutes(sandbox))
  service.route('/', userRoutes(sandbox))
  service.route('/', endpointRoutes(sandbox))
  service.route('/', merchantRoutes(sandbox))
  service.all('*', ofService(unknownPath))
  app.route(new URL(sandbox.publicUrl).pathname, service)

  own.use(requireOwnHost(port, controlHosts))
  own.use('/_sandbox/*', requireOwnKey(sandbox.apiKey))
  const controls = createRouter()
  controls.route('/_sandbox', controlRoutes(sandbox, namespaces))
  own.route('/', controls)
  const documents = {
    openapi: once(() => describeService(service, sandbox)),
    'openapi-controls': once(() => describeControls(controls, sandbox)),
  }
  for (const [name, document] of Object.entries(documents)) {
    own.get(`/${name}.json`, (context) => context.json(document()))
    own.get(`/${name}-3.0.json`, (context) => context.json(asOpenApi30(document())))
  }
  own.route('/docs', docsPage(sandbox, documents))
  own.route('/', consoleRoutes(sandbox))
  app.route('/', own)

  app.notFound(unknownPath)
  app.onError((error, context) => answerError(error, context, sandbox))
  return app
}

/** Describing the calls takes longer than the rest of the start, so it waits until somebody reads a document. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}

const methods = ['GET', 'POST', 'PATCH', 'DELETE']

/** A middleware, and a route for whatever has no other, do not count. */
const exists = ({ router }: OpenAPIHono, method: string, path: string): boolean =>
  router.match(method, path)[0].some(([[, route]]) => route.method !== METHOD_NAME_ALL && route.path !== '/*')

function unknownPath(context: Context): never {
  throw notFound(`${context.req.method} ${withoutKey(context.req.path)} does not exist`)
}

/** The control interface offers what a test or a demo needs and no client of the service could do. */
function controlRoutes(sandbox: SandboxWithLoad, namespaces: Namespaces) {
  const router = createRouter()
  router.route('/', stateRoutes(sandbox))
  router.route('/', namespaceRoutes(namespaces))
  router.route('/', sessionRoutes(sandbox))
  router.route('/', endpointTroubleRoutes(sandbox))
  router.route('/', eventRoutes(sandbox))
  router.route('/', clockRoutes(sandbox))
  router.route('/', faultRoutes(sandbox))
  router.route('/', loadRoutes(sandbox))
  return router
}
