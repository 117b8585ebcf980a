import fs from 'node:fs'
import { z } from 'zod'
import type { NextServer } from '../../../test/next-server.ts'

/** The function takes a browser through the provider, and answers the query that it brings back. */
export type Visit = (url: string) => Promise<string>

/** A walk is one browser at Rampart. Its caller does the provider’s part. */
export class Walk {
  readonly #server: NextServer
  readonly #jar = new Map<string, string>()

  constructor(server: NextServer) {
    this.#server = server
  }

  /** The request comes from this browser, which keeps cookies and follows no redirect by itself. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { origin: this.#server.url, ...init.headers, cookie }
    const answer = await fetch(this.#server.url + path, { redirect: 'manual', ...init, headers })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') this.#jar.delete(name)
      else this.#jar.set(name, value)
    }
    return answer
  }

  /** The result is the address at the provider, or the text that the page then shows. */
  async press(form: Readonly<Record<string, unknown>>): Promise<URL | string> {
    if (this.#jar.size === 0) await (await this.ask('/sign-in')).body?.cancel()
    const answer = await this.ask('/sign-in', {
      method: 'POST',
      headers: {
        'next-action': actionId('beginSingleSignOnAction'),
        'content-type': 'text/plain;charset=UTF-8',
      },
      body: JSON.stringify([form]),
    })
    const text = await answer.text()
    const [, url] = /"url":"([^"]+)"/.exec(text) ?? []
    return url === undefined ? text : new URL(JSON.parse(`"${url}"`))
  }

  /**
   * The walk goes through the provider, which may be asked a second time. The result is where Rampart leads, or the button's
   * text.
   */
  async signIn(visit: Visit, form: Readonly<Record<string, unknown>>): Promise<string> {
    const at = await this.press(form)
    if (typeof at === 'string') return at
    const led = await this.comeBack(await visit(at.href))
    return led.startsWith('/') ? led : this.comeBack(await visit(led))
  }

  /** The browser comes back from the provider. The result is where Rampart leads. */
  async comeBack(search: string): Promise<string> {
    const answer = await this.ask(`/api/single-sign-on/callback${search}`)
    await answer.body?.cancel()
    return answer.headers.get('location') ?? `status ${answer.status}`
  }

  async isSignedIn(): Promise<boolean> {
    const answer = await this.ask('/api/session')
    return StateSchema.parse(await answer.json()).state === 'active'
  }

  async words(path: string): Promise<string> {
    return (await this.ask(path)).text()
  }
}

const StateSchema = z.object({ state: z.string() })
const ManifestSchema = z.object({ node: z.record(z.string(), z.object({ exportedName: z.string() })) })

function actionId(name: string): string {
  const manifest = fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')
  const actions = Object.entries(ManifestSchema.parse(JSON.parse(manifest)).node)
  const [id] = actions.find(([, { exportedName }]) => exportedName === name) ?? []
  if (id === undefined) throw new Error(`The build has no action ${name}`)
  return id
}
