import { createRouter } from '../http/validation.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import type { Namespaces } from '../namespaces.ts'
import { clockRoutes } from './clock-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { endpointTroubleRoutes, faultRoutes } from './fault-routes.ts'
import { loadRoutes } from './load-routes.ts'
import { namespaceRoutes } from './namespace-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { stateRoutes } from './state-routes.ts'

/** The control interface offers what a test or a demo needs and no client of the service could do. */
export function controlRoutes(sandbox: SandboxWithLoad, namespaces: Namespaces) {
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
