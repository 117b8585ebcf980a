import fs from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { folders } from '../boundaries.mjs'

const root = path.dirname(import.meta.dirname)
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'docs/attacks.md',
  'docs/backup.md',
  'docs/security.md',
  'docs/where-is-what.md',
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

describe('docs/architecture.md', () => {
  const text = fs.readFileSync(path.join(root, 'docs/architecture.md'), 'utf8')
  const [, drawing = ''] = /```mermaid\n([\s\S]*?)```/.exec(text) ?? []
  const labels = new Map([...drawing.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, node, label]) => [node, label]))
  const clicks = new Map(
    [...drawing.matchAll(/^ *click (\w+) "([^"]+)"/gm)].map(([, node, to]) => [node, inRoot(to ?? '')]),
  )

  test('draws names that can all be clicked, each to its own folder or file', () => {
    expect(labels.size).toBeGreaterThan(20)
    expect(clicks).toEqual(labels)
    expect([...clicks.values()].filter((to) => !fs.existsSync(path.join(root, to)))).toEqual([])
  })

  test('draws every folder of lib', () => {
    const drawn = new Set(labels.values())
    expect(folders.filter(({ folder }) => !drawn.has(folder)).map(({ folder }) => folder)).toEqual([])
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

/** All names that a file gives to functions, classes, methods, constants and types. */
function namesIn(file: string): ReadonlySet<string> {
  const text = fs.readFileSync(path.join(root, file), 'utf8')
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    const name = isDefinition(node) ? ts.getNameOfDeclaration(node) : undefined
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) names.add(name.text.replace('#', ''))
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))
  return names
}

const isDefinition = (node: ts.Node): node is ts.Declaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isMethodSignature(node) ||
  ts.isVariableDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node)
