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

/** The build gives each server action an id, by which a page calls it. */
function actionId(name: string): string {
  const { node } = JSON.parse(fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')) as {
    node: Record<string, { exportedName: string }>
  }
  const [id] = Object.entries(node).find(([, one]) => one.exportedName === name) ?? []
  if (!id) throw new Error(`The build has no action ${name}`)
  return id
}
