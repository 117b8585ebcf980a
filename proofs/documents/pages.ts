import fs from 'node:fs'

/**
 * A block of commands on a page. The word after `sh` says who runs it: nobody has written one where `npm test` does,
 * `proof` is for `npm run prove -- documents`, and `not-run` needs root, another machine or a real authority.
 */
export type BlockRunner = 'test' | 'proof' | 'not-run'

export interface Block {
  readonly kind: 'block'
  readonly line: number
  readonly runner: BlockRunner
  readonly commands: string
  /** The block of `text` below it, in which `…` stands for anything. */
  readonly output: string | null
}

export interface Heading {
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
  'upgrade',
  'backup',
  'scale',
  'packaging',
  'proxies',
  'identity-providers',
] as const
export type WalkedPage = (typeof walkedPages)[number]

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
