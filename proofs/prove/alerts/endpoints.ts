import crypto from 'node:crypto'
import { CreateEndpointSchema, createEndpoint } from '../../../lib/endpoints/create-endpoint.ts'
import { type AlertStage, admin, browser, EndpointsSchema, reason } from './open-stage.ts'

type EventType = 'KYC' | 'fiatToCrypto' | 'otpNotification' | 'duplicateUser' | 'walletCreated'

interface Endpoint {
  readonly uuid: string
  readonly receiverId: string
  readonly authorization: string
}

/** An admin creates an endpoint for these types alone, so that no other endpoint gets the same deliveries. */
export async function addEndpoint(stage: AlertStage, ...types: readonly EventType[]): Promise<Endpoint> {
  const receiverId = crypto.randomUUID()
  const form = CreateEndpointSchema.parse({
    to: 'here',
    receiverId,
    description: types.join(' '),
    subscribedEvents: types,
    reason,
  })
  const { endpointUuid } = await createEndpoint(admin, form, browser)
  const listed = EndpointsSchema.parse(await stage.control('endpoints'))
  const secret = listed.find(({ uuid }) => uuid === endpointUuid)?.signing_secret ?? ''
  return { uuid: endpointUuid, receiverId, authorization: `API-Key ${secret}` }
}

const healthy = new WeakMap<AlertStage, Promise<Endpoint>>()

/** The endpoint works all the time. */
export function healthyEndpoint(stage: AlertStage): Promise<Endpoint> {
  const made = healthy.get(stage) ?? addEndpoint(stage, 'KYC', 'fiatToCrypto')
  healthy.set(stage, made)
  return made
}

export async function deliverHealthy(stage: AlertStage, body: object): Promise<void> {
  const { receiverId, authorization } = await healthyEndpoint(stage)
  const status = await stage.deliver(receiverId, body, authorization)
  if (status !== 200) throw new Error(`A delivery was answered ${status}`)
}

export const envelope = (type: string, subType: string, data: object = {}) => ({
  type,
  subType,
  uuid: crypto.randomUUID(),
  data,
})

/** The ids of things that causes made stay here until they are mended. */
export const made = new Map<string, string>()

export const madeBy = (name: string): string => {
  const value = made.get(name)
  if (value === undefined) throw new Error(`${name} was not caused`)
  return value
}
