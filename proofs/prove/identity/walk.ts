import fs from 'node:fs'
import { z } from 'zod'
import type { NextServer } from '../../../test/next-server.ts'

/** Takes a browser through the provider; answers the query that it comes back with. */
export type Visit = (url: string) => Promise<string>

/** One browser at Rampart, and what happens to it there; the provider’s part is done by whoever drives it. */
export class Walk {
  readonly #server: NextServer
  readonly #jar = new Map<string, string>()

  constructor(server: NextServer) {
    this.#server = server
  }

  /** Asks as this browser, which keeps cookies and follows nothing by itself. */
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

  /** Presses the button: answers the address at the provider, or what the page then says. */
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

  /** Through the provider, which may be asked a second time; answers where Rampart leads, or what the button says. */
  async signIn(visit: Visit, form: Readonly<Record<string, unknown>>): Promise<string> {
    const at = await this.press(form)
    if (typeof at === 'string') return at
    const led = await this.comeBack(await visit(at.href))
    return led.startsWith('/') ? led : this.comeBack(await visit(led))
  }

  /** Comes back from the provider; answers where Rampart leads. */
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
