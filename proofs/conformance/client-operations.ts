import { createServiceClient } from '../../lib/service/client.ts'
import { ServiceError } from '../../lib/service/errors.ts'
import {
  createUser,
  exchangeOneTimePassword,
  getUser,
  listSupportedCountries,
  loginWithWallet,
  sendOneTimePassword,
} from '../../lib/service/operations.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from '../../lib/service/webhook-endpoints.ts'
import { type OperationOutcome, type Operations, otherUserFields } from './kit/operations.ts'

/** The dashboard's client carries out the operations. Its results are written in the wire's spelling again. */
export function createClientOperations(baseUrl: string, apiKey: string): Operations {
  const client = createServiceClient({ baseUrl, apiKey, timeoutMs: 30_000 })
  return {
    createUser: ({ email, target_address }) => {
      const { first_name: firstName, last_name: lastName, country } = otherUserFields
      const user = { email, firstName, lastName, country, targetAddress: target_address }
      return outcomeOf(createUser(client, user), ({ userUuid, status }) => ({ user_uuid: userUuid, status }))
    },
    readUser: (as) => {
      const onBehalfOf = 'session' in as ? { serviceSessionId: as.session } : as
      return outcomeOf(getUser(client, onBehalfOf), ({ userUuid, email, targetAddress }) => ({
        user_uuid: userUuid,
        email,
        target_address: targetAddress,
      }))
    },
    // The client accepts only 204 here.
    sendCode: async (userUuid) => {
      const { status, body } = await outcomeOf(sendOneTimePassword(client, userUuid), (nothing) => nothing)
      return { status: status === 200 ? 204 : status, body }
    },
    signInWithCode: (userUuid, oneTimePassword) =>
      outcomeOf(exchangeOneTimePassword(client, { userUuid, oneTimePassword }), sessionBody),
    signInWithWallet: (message, signature) =>
      outcomeOf(loginWithWallet(client, { message, signature }), sessionBody),
    listCountries: () =>
      outcomeOf(listSupportedCountries(client), (countries) =>
        countries.map(({ code }) => ({ country_code: code })),
      ),
    createEndpoint: ({ url, description, subscribed_events }) =>
      outcomeOf(
        createWebhookEndpoint(client, { url, description, subscribedEvents: subscribed_events }),
        (created) => ({ ...endpointBody(created), signing_secret: created.signingSecret }),
      ),
    listEndpoints: (status) =>
      outcomeOf(listWebhookEndpoints(client, { status }), (list) => list.map(endpointBody)),
    readEndpoint: (id) => outcomeOf(getWebhookEndpoint(client, id), endpointBody),
    updateEndpoint: (id, { url, status, subscribed_events }) =>
      outcomeOf(
        updateWebhookEndpoint(client, id, { url, status, subscribedEvents: subscribed_events }),
        (changed) => changed && endpointBody(changed),
      ),
    rotateSecret: (id) =>
      outcomeOf(rotateWebhookSecret(client, id), ({ signingSecret }) => ({ signing_secret: signingSecret })),
    deleteEndpoint: (id) => outcomeOf(deleteWebhookEndpoint(client, id), (nothing) => nothing),
  }
}

async function outcomeOf<Result>(
  call: Promise<Result>,
  inWireSpelling: (result: Result) => unknown,
): Promise<OperationOutcome> {
  try {
    return { status: 200, body: inWireSpelling(await call) }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status === null || error.code === 'nonsense') throw error
    return { status: error.status, body: { code: error.code } }
  }
}

const sessionBody = (session: { serviceSessionId: string; userUuid: string }) => ({
  service_session_id: session.serviceSessionId,
  user_uuid: session.userUuid,
})

const endpointBody = ({ uuid, url, description, status, subscribedEvents }: WebhookEndpoint) => ({
  uuid,
  url,
  description,
  status,
  ...(subscribedEvents && { subscribed_events: subscribedEvents }),
})
