import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { areas } from '../boundaries.mjs'
import { contract } from '../proofs/conformance/kit/contract.ts'
import { namesIn } from '../test/names-in.ts'
import { tablesOfSchema } from '../test/tables-of-schema.ts'

const root = path.dirname(import.meta.dirname)
/** Written so, it cites nothing in this file. */
const sign = '\u00a7'
const pages = [
  ...areas.map(({ area }) => `lib/${area}/README.md`),
  'lib/README.md',
  'bin/README.md',
  'components/README.md',
  'README.md',
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'docs/backup.md',
  'docs/contract.md',
  'docs/security.md',
]

describe.each(pages)('%s', (page) => {
  const links = linksOf(page)

  test('links what exists', () => {
    const missing = links.filter(({ target }) => !fs.existsSync(path.join(root, target)))
    expect(missing.map(({ text, target }) => `${text} → ${target}`)).toEqual([])
  })

  test('names a path as it is', () => {
    const other = links.filter(
      ({ text, target }) => isPath(text) && !`/${target}`.endsWith(`/${text.replace(/\/$/, '')}`),
    )
    expect(other.map(({ text, target }) => `${text} → ${target}`)).toEqual([])
  })

  test('links a name to the file that defines it', () => {
    const named = links.filter(({ text, target }) => isName(text) && /\.m?tsx?$/.test(target))
    const missing = named.filter(
      ({ text, target }) => !namesIn(target).isSupersetOf(new Set(text.split('.'))),
    )
    expect(missing.map(({ text, target }) => `${text} → ${target}`)).toEqual([])
  })
})

describe('the README of each area', () => {
  test.each(areas)('$area: has at most 200 words', ({ area }) => {
    const words = read(`lib/${area}/README.md`)
      .split(/\s+/)
      .filter((word) => /\w/.test(word))
    expect(words.length).toBeLessThanOrEqual(200)
  })

  test.each(areas)('$area: a search shows a rule with its file, because both are on one line', ({ area }) => {
    expect(read(`lib/${area}/README.md`)).not.toMatch(/^ +\S/m)
  })

  test('names its tables, and together they name every table', () => {
    const listed = areas.flatMap(({ area }) => {
      const [, tables] = /^Tables?: ([\s\S]*)/m.exec(read(`lib/${area}/README.md`)) ?? []
      expect(tables, area).toBeDefined()
      return tables?.match(/(?<=`)\w+(?=`)/g) ?? []
    })
    expect(tablesOfSchema.length).toBeGreaterThan(50)
    expect(tablesOfSchema.filter((table) => !listed.includes(table))).toEqual([])
  })
})

describe('docs/decisions', () => {
  const folder = path.join(root, 'docs/decisions')
  const records = fs.readdirSync(folder).filter((file) => file !== 'README.md')
  const linesOf = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8').split('\n')

  test('README.md lists each with its title, date and status', () => {
    const listed = linesOf('README.md').filter((line) => line.startsWith('- ['))
    const rows = records.toSorted().map((file) => {
      const [heading = '', , facts = ''] = linesOf(file)
      const [number = '', title] = heading.replace('# ', '').split(' · ')
      const [date, status] = facts.split(' · ')
      return `- [${number}](${file}) ${title}: ${date}, ${status}`
    })
    expect(listed).toEqual(rows)
  })

  test.each(records)('%s links what exists', (file) => {
    const targets = [
      ...linesOf(file)
        .join('\n')
        .matchAll(/\]\(([^)#]+\.(?:md|m?tsx?))/g),
    ].map(([, to = '']) => to)
    const missing = targets.filter((to) => !/^https?:/.test(to) && !fs.existsSync(path.join(folder, to)))
    expect(missing).toEqual([])
  })
})

describe('docs/architecture.md', () => {
  const text = fs.readFileSync(path.join(root, 'docs/architecture.md'), 'utf8')
  const [, drawing = ''] = /```mermaid\n([\s\S]*?)```/.exec(text) ?? []
  const labels = new Map([...drawing.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, node, label]) => [node, label]))
  const clicks = new Map(
    [...drawing.matchAll(/^ *click (\w+) "([^"]+)"/gm)].map(([, node, to]) => [node, inRoot(to ?? '')]),
  )

  test('draws names that can all be clicked, each to its own folder or file', () => {
    expect(labels.size).toBeGreaterThan(areas.length)
    expect(clicks).toEqual(labels)
    expect([...clicks.values()].filter((to) => !fs.existsSync(path.join(root, to)))).toEqual([])
  })

  test('draws every area', () => {
    const drawn = new Set(labels.values())
    expect(areas.filter(({ area }) => !drawn.has(`lib/${area}`)).map(({ area }) => area)).toEqual([])
  })

  test.each(['From the socket to the page', 'From the field to the session'])(
    'goes through no folder twice: %s',
    (title) => {
      const [, walk = ''] = text.split(`## ${title}\n`)
      const steps = [...(walk.split('\n## ')[0] ?? '').matchAll(/^\d+\. \*\*\[`([^`]+)`\]/gm)].map(
        ([, step]) => step,
      )
      expect(steps.length).toBeGreaterThan(5)
      expect(steps).toEqual([...new Set(steps)])
    },
  )
})

describe('docs/contract.md', () => {
  test.each<[text: string, sections: string[]]>([
    ['(§6.8).', ['6.8']],
    ['§2.3, §8: HTTPS', ['2.3', '8']],
    ['§5.2–5.4', ['5.2', '5.4']],
    ['§2-8', ['2', '8']],
    ['§§ 5.1 and 5.4', ['5.1', '5.4']],
    ['§§2, 3 or 6.8', ['2', '3', '6.8']],
    ['§6.1, 6.2, and 6.3', ['6.1', '6.2', '6.3']],
    ['§ 6.3 to 6.5', ['6.3', '6.5']],
    ['as §6.1,\n * 6.2', ['6.1', '6.2']],
    ['§3.1 “active”, 7 attempts', ['3.1']],
    [`${sign}4 and RFC 9110 ${sign}13, ${sign}14.2`, ['4']],
    [`(RFC 9110\n * ${sign}12.5.4)`, []],
    ['cited as §, § numbers, `§${', []],
    [`${sign}9.9, ${sign}5.1.3, ${sign}x`, ['9.9', '5.1.3', 'x']],
    [`design ${sign}6, design (${sign}4)`, ['design 6', 'design 4']],
  ])('is cited: %j', (text, sections) => expect(citedIn(text)).toEqual(sections))

  const sections = new Set(read('docs/contract.md').match(/(?<=^##+ )\d+(\.\d+)?(?=\.? \S)/gm))

  test('has every section that § cites, wherever that is', () => {
    const cited = sources().flatMap((file) => citedIn(read(file)).map((section) => ({ section, file })))
    expect(cited.length).toBeGreaterThan(500)
    const missing = cited.filter(({ section }) => !sections.has(section))
    expect(missing.map(({ section, file }) => `${file}: ${section}`)).toEqual([])
  })

  test('has the section of every rule of the conformance suite', () => {
    expect(contract.length).toBeGreaterThan(100)
    expect(contract.filter(({ section }) => !sections.has(section)).map(({ id }) => id)).toEqual([])
  })
})

function read(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8')
}

/** All that people write, and nothing that is made of it. */
function sources(): string[] {
  const made = read('.gitignore').match(/^.+(?=\/$)/gm) ?? []
  const exclude = ['.git', ...made.map((folder) => `**/${folder}`)]
  const written = '*.{css,grit,html,js,json,jsx,md,mdx,mjs,mts,prisma,sh,sql,svg,toml,ts,tsx,txt,yaml,yml}'
  return fs.globSync([`**/${written}`, `.${written}`], { cwd: root, exclude })
}

const number = String.raw`\d+(?:\.\d+)*`
const dotted = String.raw`\d+(?:\.\d+)+`
const more = '(?:,? (?:and|or|to) |, )'
/** `§§` begins a list of any numbers. After one `§`, a whole number behind a comma counts something else. */
const citation = new RegExp(
  `(design \\(?)?§(§ ?${number}(?:(?:${more}|[–-])${number})*| ?${number}(?:${more}${dotted}|[–-]${number})*|[a-z]\\w*)`,
  'gi',
)

/** The sections that `§` cites, without those of standards. Sections of a design have that word before them: there is none. */
function citedIn(text: string): string[] {
  const joined = text.replace(/\n[\t >]*(?:\*|\/\/|--|#)?[\t ]*/g, ' ')
  const own = joined.replace(/\b(?:RFC \d+|WebAuthn),? §[\d.]*\d(?:(?:,| and| to) §[\d.]*\d)*/g, '')
  return [...own.matchAll(citation)].flatMap(([, design = '', cited = '']) =>
    (cited.match(/\d+(?:\.\d+)*/g) ?? [cited]).map((section) => (design ? `design ${section}` : section)),
  )
}

interface Link {
  readonly text: string
  /** From the root of the repository. */
  readonly target: string
}

/** The links of a page to files and folders. */
function linksOf(page: string): Link[] {
  const text = fs.readFileSync(path.join(root, page), 'utf8')
  const found = [...text.matchAll(/\[(`[^`]+`|[^\]]+)\]\((?:<([^>]+)>|([^)\s]+))\)/g)]
  return found
    .map(([, shown = '', quoted, bare]) => ({ text: shown.replaceAll('`', ''), to: quoted ?? bare ?? '' }))
    .filter(({ to }) => !/^(https?:|#)/.test(to))
    .map(({ text: shown, to }) => ({ text: shown, target: inRoot(to, page) }))
}

function inRoot(to: string, page = 'docs/architecture.md'): string {
  return path.posix.join(path.posix.dirname(page), to.split('#')[0] ?? '').replace(/\/$/, '')
}

const isPath = (text: string) => /^[^ ]+\/[^ ]+$|^[^ ]+\.(m?tsx?|mjs|md|prisma|json)$/.test(text)

/** `runBatch`, or `Pipeline.runBatch`. */
const isName = (text: string) => !isPath(text) && /^[a-zA-Z]\w+(\.\w+)?$/.test(text)
