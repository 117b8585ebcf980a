import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

it('no field has the type email: browsers rewrite the host of its address', () => {
  const root = path.resolve(import.meta.dirname, '../../..')
  const files = ['app', 'components', 'sandbox'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
      .map((file) => path.join(root, folder, file)),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => /type=["'{]+email/.test(fs.readFileSync(file, 'utf8')))).toEqual([])
})
