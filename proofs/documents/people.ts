import crypto from 'node:crypto'
import tls from 'node:tls'
import { z } from 'zod'
import { openAuthenticator } from '../../test/authenticator.ts'
import { builtActionId } from '../../test/built-actions.ts'
import { sleep } from '../prove/faults/test-bed.ts'
import type { DocumentsStage } from './stage.ts'

/** After the commands under a heading, people do in a browser what its text says. */
export async function actOn(heading: string, stage: DocumentsStage): Promise<void> {
  await steps[heading]?.(stage)
}

const steps: Readonly<Record<string, (stage: DocumentsStage) => Promise<void>>> = {
  'install: 6. The first admin': joinAndAddEndpoint,
}

/** The first admin opens the link, makes a passkey and adds an endpoint. Then something happens at the service. */
async function joinAndAddEndpoint(stage: DocumentsStage) {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), stage.ca])
  const [, token = ''] = /#(\S+)/.exec(await stage.shell.run('rampart setup-link', 'The link')) ?? []
  const browser = openBrowser(stage.publicUrl)
  await browser.act('openLinkAction', '/set-up', { token })
  const device = openAuthenticator(stage.publicUrl)
  const asked = await browser.act('beginSetUpPasskeyAction', '/set-up', {
    name: 'Kim',
    email: 'kim@example.com',
  })
  const [, challenge = ''] = /"challenge":"([^"]+)"/.exec(asked) ?? []
  const passkey = { answer: device.register(challenge), passkeyName: 'Work laptop' }
  await browser.act('setUpPasskeyAction', '/set-up', passkey)
  await browser.act('createEndpointAction', '/endpoints/new', {
    to: 'here',
    receiverId: crypto.randomUUID(),
    description: 'First',
    reason: 'the first endpoint',
  })
  await happen(stage)
}

/** A new customer buys stablecoins, and the service delivers what happens to the public address. */
async function happen({ sandboxUrl, replace }: DocumentsStage) {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${sandboxUrl}/_sandbox/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}: ${await answer.text()}`)
    return UserSchema.parse(await answer.json()).user_uuid
  }
  const user_uuid = await post('sessions', { email: 'ana@example.com' })
  await post('scenarios', { name: 'fiat-to-crypto', user_uuid, speed: 0 })
  replace(documentedUser, user_uuid)
  for (let tries = 0; ; tries++) {
    const deliveries = DeliveriesSchema.parse(
      await (await fetch(`${sandboxUrl}/_sandbox/deliveries?limit=1`)).json(),
    )
    if (deliveries[0]?.attempts.at(-1)?.status === 200) return
    if (tries > 50) throw new Error(`No delivery arrived: ${JSON.stringify(deliveries)}`)
    await sleep(200)
  }
}

/** The pages name this user in their examples. */
const documentedUser = '3f2c1b1e-7a44-4c43-9a4f-1d2c3b4a5968'

const UserSchema = z.object({ user_uuid: z.string() })

const DeliveriesSchema = z.array(z.object({ attempts: z.array(z.object({ status: z.number().nullable() })) }))

/** A browser keeps cookies, and sends forms as pages do. */
function openBrowser(origin: string) {
  const cookies = new Map<string, string>()
  return {
    async act(action: string, page: string, form: object): Promise<string> {
      const answer = await fetch(origin + page, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          origin,
          'next-action': builtActionId(action),
          'content-type': 'text/plain;charset=UTF-8',
          cookie: [...cookies].map((cookie) => cookie.join('=')).join('; '),
        },
        body: JSON.stringify([form]),
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        cookies.set(name, value)
      }
      const text = await answer.text()
      if (!text.includes('"kind":"done"')) throw new Error(`${action} answered ${answer.status}: ${text}`)
      return text
    },
  }
}
