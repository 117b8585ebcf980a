import fs from 'node:fs'
import { expect, test } from 'vitest'
import { commands } from '../../bin/rampart/commands.ts'
import { warningsOf } from '../../lib/platform/env/warnings.ts'
import { readStartSettings } from '../../lib/platform/env.ts'
import { pageFile, readPageParts, walkedPages } from './walk.ts'

const documents = fs.globSync(['docs/*.md', 'docs/decisions/*.md', '*.md', 'lib/*/README.md', 'ops/**/*.md'])
const read = (file: string) => fs.readFileSync(file, 'utf8')

/** So many blocks of a page are run by nobody, since they need root, another machine or a real authority. Only fewer may follow. */
const notRun: Readonly<Record<string, number>> = {
  install: 2,
  configure: 1,
  backup: 2,
  scale: 1,
  packaging: 3,
  proxies: 1,
  'identity-providers': 1,
}

test.each(walkedPages)('docs/%s.md has no more blocks that nobody runs', (page) => {
  const blocks = readPageParts(pageFile(page)).filter((part) => part.kind === 'block')
  expect(blocks.length, 'a page with commands').toBeGreaterThan(0)
  expect(blocks.filter(({ runner }) => runner === 'not-run')).toHaveLength(notRun[page] ?? 0)
})

test.each(walkedPages)(
  'docs/%s.md shows a secret in no list of processes and no history of a shell',
  (page) => {
    const lines = readPageParts(pageFile(page)).flatMap((part) =>
      part.kind === 'block' ? part.commands.replaceAll('\\\n', '').split('\n') : [],
    )
    const secret = /\$\(openssl|\$(APP|OWNER)\b|the-key-that/
    // The shell itself runs echo and an assignment; the text of a heredoc begins with none of these.
    expect(lines.filter((line) => /^ *(sed|psql|runuser|rampart)\b/.test(line) && secret.test(line))).toEqual(
      [],
    )
    expect(lines.filter((line) => /^ *echo\b.*the-key-that/.test(line))).toEqual([])
  },
)

test.each(walkedPages)(
  'docs/%s.md makes the folders that an ordinary user fills below those of root',
  (page) => {
    const blocks = readPageParts(pageFile(page)).flatMap((part) =>
      part.kind === 'block' ? [part.commands] : [],
    )
    const written = blocks.flatMap((block) =>
      [
        ...block.matchAll(
          /^(?!install\b).*(?:--pgdata=|rampart backup |RAMPART_DATA_DIR=)(\/(?:var\/backups|srv)\/\S+)/gm,
        ),
      ].map(([, folder = '']) => ({ block, folder })),
    )
    if (page === 'backup') expect(written).toHaveLength(3)
    for (const { block, folder } of written) {
      const [, made = ''] = /^install -d -o \w+ (?:-g \w+ )?-m 700 (\S+)/m.exec(block) ?? []
      expect(`${folder}/`.startsWith(`${made}/`) && made !== '', folder).toBe(true)
    }
  },
)

/** Systemd starts nothing in containers, where nginx alone has open ports. */
test.each(walkedPages.filter((page) => page !== 'install'))(
  'docs/packaging.md replaces the commands for systemd on docs/%s.md',
  (page) => {
    const table = read('docs/packaging.md')
    const commands = readPageParts(pageFile(page)).flatMap((part) =>
      part.kind === 'block' ? [...part.commands.matchAll(/^ *(systemctl \w+ rampart|until curl)\b/gm)] : [],
    )
    const missing = commands.filter(
      ([, command]) => !new RegExp(`^\\|.*\`${command}\\b.*\\|.*\\|$`, 'm').test(table),
    )
    expect(missing.map(([, command]) => command)).toEqual([])
  },
)

test('a script gives psql no secret as a word', () => {
  const script = read('ops/postgres/create-roles.sh')
  const [, sql = ''] = /<<'SQL'\n([\s\S]*)\nSQL\n/.exec(script) ?? []
  expect(sql).toContain('PASSWORD')
  expect(script.replace(sql, '').replace(/^#.*$/gm, '')).not.toContain('PASSWORD')
})

test('no page for operators is left out', () => {
  const withCommands = fs
    .globSync('docs/*.md')
    .filter((file) => /^ *```sh/m.test(read(file)))
    // A test of the sandbox runs this page.
    .filter((file) => file !== 'docs/sandbox.md')
  expect(withCommands.toSorted()).toEqual(walkedPages.map(pageFile).toSorted())
})

test.each(documents)('%s names commands that exist', (file) => {
  const named = [...read(file).matchAll(/(?:`|\n *|npm run )rampart (?:-- )?([a-z][a-z-]*)/g)].map(
    ([, name = '']) => name,
  )
  expect(named.filter((name) => ![...Object.keys(commands), 'help', 'completion'].includes(name))).toEqual([])
})

const settings = documents.flatMap((file) =>
  [...read(file).matchAll(/^ *```ini\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => ({ file, block })),
)

test('the pages have examples of settings', () => expect(settings.length).toBeGreaterThan(8))

test.each(settings)('$file has settings that Rampart takes', ({ block }) => {
  const given = Object.fromEntries(
    block.split('\n').flatMap((line) => {
      const [, name, value] = /^ *([A-Z_]+)=(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value]]
    }),
  )
  const all = { NODE_ENV: 'production' as const, ...others, ...given }
  expect(() => readStartSettings(all), block).not.toThrow()
  expect(warningsOf(all), block).toEqual([])
})

/** The settings beside those of an example. */
const others = {
  PUBLIC_URL: 'https://dash.example.com',
  SERVICE_BASE_URL: 'https://api.example.com/onboarding',
  SERVICE_API_KEY: 'a-key',
  DATABASE_URL: 'postgresql://a:a@localhost/rampart',
  NEXTAUTH_SECRET: 'n'.repeat(32),
  RAMPART_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'rampart',
  OIDC_ROLE_CLAIM: 'groups',
  OIDC_ROLE_MAP: 'a=admin',
}
