import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import tls from 'node:tls'
import { z } from 'zod'
import { openAuthenticator } from '../../test/authenticator.ts'
import { builtActionId } from '../../test/built-actions.ts'
import { sleep } from '../prove/faults/test-bed.ts'
import type { DocumentsStage } from './stage.ts'

/**
 * One installation goes through all pages, and runs their blocks one after the other.
 * @param runners whose blocks are run
 * @param say gets each block's place and seconds
 * @returns how many blocks were run. All faults are thrown together at the end.
 */
export async function walkPages(
  stage: DocumentsStage,
  runners: readonly BlockRunner[],
  say: (line: string) => void = () => undefined,
): Promise<number> {
  let count = 0
  const faults: string[] = []
  for (const page of walkedPages) {
    let heading = ''
    for (const part of readPageParts(pageFile(page))) {
      if (part.kind === 'heading') {
        await actOn(`${page}: ${heading}`, stage)
        heading = part.title
      } else if (runners.includes(part.runner)) {
        const place = `${pageFile(page)}:${part.line}`
        const from = performance.now()
        await runBlock(stage, place, part).catch((error: unknown) => {
          faults.push(error instanceof Error ? error.message : String(error))
        })
        say(`${place}: ${((performance.now() - from) / 1_000).toFixed(1)} s`)
        count++
      }
    }
    await actOn(`${page}: ${heading}`, stage)
  }
  if (faults.length > 0) throw new Error(faults.join('\n\n'))
  return count
}

async function runBlock({ shell, translate }: DocumentsStage, place: string, { commands, output }: Block) {
  const translated = translate(commands)
  const left = /\S*example\.(com|net)\S*|10\.0\.0\.\d+/.exec(translated.replaceAll(/^ *#.*|'s\/.*/gm, ''))
  if (left) throw new Error(`${place}: ${left[0]} has nothing in its place on this machine`)
  const printed = await shell.run(translated, place)
  if (output !== null && !patternOf(translate(output)).test(printed))
    throw new Error(`${place} says that this is printed:\n${output}\nand this was printed:\n${printed}`)
}

/** `…` matches any text within a line. */
const patternOf = (output: string) => new RegExp(`^${output.split('…').map(RegExp.escape).join('.*')}$`, 'm')

/**
 * A block of commands on a page. The word after `sh` says who runs it: nobody has written one where `npm test` does,
 * `proof` is for `npm run prove -- documents`, and `not-run` needs root, another machine or a real authority.
 */
type BlockRunner = 'test' | 'proof' | 'not-run'

interface Block {
  readonly kind: 'block'
  readonly line: number
  readonly runner: BlockRunner
  readonly commands: string
  /** The block of `text` below it, in which `…` stands for anything. */
  readonly output: string | null
}

interface Heading {
  readonly kind: 'heading'
  readonly title: string
}

/** The pages whose commands are run, in the order in which one installation goes through them. */
export const walkedPages = [
  'install',
  'configure',
  'alerts',
  'troubleshooting',
  'rotate',
  'retention',
  'backup',
  'upgrade',
  'scale',
  'packaging',
  'proxies',
  'identity-providers',
] as const
type WalkedPage = (typeof walkedPages)[number]

export const pageFile = (page: WalkedPage) => `docs/${page}.md`

const runners: Readonly<Record<string, BlockRunner>> = { '': 'test', proof: 'proof', 'not-run': 'not-run' }

/** Headings and blocks of commands, in their order. A word after `sh` that nobody knows is an error. */
export function readPageParts(page: string): (Block | Heading)[] {
  const text = fs.readFileSync(page, 'utf8')
  const parts: (Block | Heading)[] = []
  const pattern = /^ *```(\S*)(.*)\n([\s\S]*?)^ *```$(?:\n\n```text\n([\s\S]*?)^```$)?|^#+ (.*)$/gm
  for (const found of text.matchAll(pattern)) {
    const [, language, mark = '', commands = '', output, title] = found
    if (title !== undefined) parts.push({ kind: 'heading', title })
    if (language !== 'sh') continue
    const runner = runners[mark.trim()]
    const line = text.slice(0, found.index).split('\n').length
    if (runner === undefined) throw new Error(`${page}:${line}: nobody knows the mark "${mark.trim()}"`)
    parts.push({ kind: 'block', line, runner, commands, output: output ?? null })
  }
  return parts
}

/** After the commands under a heading, people do in a browser what its text says. */
async function actOn(heading: string, stage: DocumentsStage): Promise<void> {
  await steps[heading]?.(stage)
}

const steps: Readonly<Record<string, (stage: DocumentsStage) => Promise<void>>> = {
  'install: 3. Settings': nameAuthority,
  'install: 6. The first admin': joinAndAddEndpoint,
  'backup: A dump': nameDump,
}

/** The certificate of the public address is of an authority of one's own. Only the file of settings names it. */
async function nameAuthority({ shell, translate }: DocumentsStage) {
  const line = 'echo NODE_EXTRA_CA_CERTS=/etc/ssl/ca.pem >> /etc/rampart/rampart.env'
  await shell.run(translate(line), 'The authority')
}

/** The page names a dump of another night. */
async function nameDump({ shell, translate, replace }: DocumentsStage) {
  const said = await shell.run(translate('ls /var/backups/rampart/*.dump'), 'The dump')
  replace(documentedDump, path.basename(said.trim(), '.dump'))
}

const documentedDump = '2026-11-29-030000'

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
  const post = async (what: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${sandboxUrl}/_sandbox/${what}`, {
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
