import type { Need } from './kit/check.ts'
import type { ServiceUnderTest } from './kit/check-context.ts'
import { createCall, createHttpOperations } from './kit/http-operations.ts'
import { CreatedEndpointSchema } from './kit/shapes.ts'

/** What checks need and this host does not have, each with the reason. */
export async function findMissing(host: ServiceUnderTest): Promise<Map<Need, string>> {
  const missing = new Map<Need, string>()
  if (!host.controlUrl) {
    missing.set('control', 'the service has to be told what to do: give --control-url')
    missing.set('clock', 'its clock has to be moved: give --control-url')
    missing.set('mailbox', 'the code has to be read: give --control-url')
  }
  if (!(await reachesUs(host).catch(cannotTell)))
    missing.set('receiver', 'the service cannot reach a receiver on this machine')
  return missing
}

/** Whether it runs on this machine and takes plain HTTP for a receiver here (§8 says HTTPS). */
async function reachesUs({ baseUrl, apiKey }: ServiceUnderTest): Promise<boolean> {
  if (!loopbackHosts.has(new URL(baseUrl).hostname)) return false
  const service = createHttpOperations(createCall(baseUrl, apiKey, 5_000))
  const url = 'http://127.0.0.1:9/hook'
  const { body } = await service.createEndpoint({ url, description: 'Conformance, probing' })
  const created = CreatedEndpointSchema.safeParse(body).data
  if (created) await service.deleteEndpoint(created.uuid)
  return created !== undefined
}

/** A service that does not answer here is found out by the checks. */
const cannotTell = () => false

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])
