import fs from 'node:fs'
import type { APIRequestContext } from '@playwright/test'
import { rampartUrl } from './addresses.ts'

/** The function calls a server action as the page at this address does, and answers what a browser would receive. */
export async function callAction(
  request: APIRequestContext,
  name: string,
  form: object,
  page = `${rampartUrl}/profile`,
): Promise<string> {
  const headers = {
    'next-action': actionId(name),
    origin: new URL(page).origin,
    'content-type': 'text/plain;charset=UTF-8',
  }
  return (await request.post(page, { headers, data: JSON.stringify([form]) })).text()
}

/**
 * The function creates an endpoint as an admin's page does, and answers its uuid. Without a url it delivers to this
 * dashboard. With one, the answer had its secret, which counts as shown.
 */
export async function createEndpoint(
  request: APIRequestContext,
  description: string,
  url?: string,
): Promise<string> {
  const where = url ? { to: 'elsewhere', url } : { to: 'here', receiverId: crypto.randomUUID() }
  const form = { ...where, description, reason: 'a test wants it' }
  return endpointIn(await callAction(request, 'createEndpointAction', form))
}

/** The answer of an action names an endpoint. */
export function endpointIn(answer: string): string {
  const uuid = /"endpointUuid":"([^"]+)"/.exec(answer)?.[1]
  if (!uuid) throw new Error(`The answer names no endpoint: ${answer}`)
  return uuid
}

/** The build gives each server action an id, by which a page calls it. */
function actionId(name: string): string {
  const { node } = JSON.parse(fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')) as {
    node: Record<string, { exportedName: string }>
  }
  const [id] = Object.entries(node).find(([, one]) => one.exportedName === name) ?? []
  if (!id) throw new Error(`The build has no action ${name}`)
  return id
}
