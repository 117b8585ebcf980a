import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { identityOf } from './build.ts'

// A second build costs a minute, so `npm run prove -- builds` compares two. This test checks what once made them differ.

const { RAMPART_BUILD_ID: buildId, NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: key } = identityOf(
  fs.readFileSync('.next/made-from', 'utf8'),
)

test('the pages have the id that follows from their sources', () => {
  expect(fs.readFileSync('.next/BUILD_ID', 'utf8')).toBe(buildId)
})

const ManifestSchema = z.object({
  encryptionKey: z.string(),
  node: z.record(z.string(), z.object({ exportedName: z.string(), filename: z.string() })),
})

test('the id of each action follows from the key, its file in the project and its name', () => {
  const { encryptionKey, node } = ManifestSchema.parse(
    JSON.parse(fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')),
  )
  expect(encryptionKey).toBe(key)
  const entries = Object.entries(node)
  expect(entries.length).toBeGreaterThan(50)
  for (const [id, { exportedName, filename }] of entries) {
    const digest = crypto.createHash('sha1').update(`${key}${filename}:${exportedName}`).digest('hex')
    // A byte about the arguments comes before the digest.
    expect(id.slice(2)).toBe(digest)
  }
})

test('no file that the server or a browser loads names the folder that it was built in', () => {
  const files = fs
    .globSync(['.next/static/**/*', '.next/server/**/*'])
    .filter((file) => fs.statSync(file).isFile())
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => fs.readFileSync(file, 'utf8').includes(path.resolve()))).toEqual([])
})

test('routes share a chunk that several of them have, and no text of the server takes two bytes for a character', () => {
  const scripts = fs
    .globSync('.next/server/**/*.js')
    .map((file) => ({ file, code: fs.readFileSync(file, 'utf8') }))
  const loaded = scripts.flatMap(({ code }) =>
    [...code.matchAll(/"server\/(chunks\/[^"]+\.js)"/g)].map(([, name]) => name),
  )
  const chunks = [...new Set(loaded)].map((name) =>
    fs.readFileSync(path.join('.next/server', name ?? ''), 'utf8'),
  )
  expect(chunks.length).toBeGreaterThan(50)
  expect(new Set(chunks).size).toBe(chunks.length)
  const wide = scripts.filter(({ code }) => !code.includes('String.raw') && /[^\0-\xff]/.test(code))
  expect(wide.map(({ file }) => file)).toEqual([])
})
