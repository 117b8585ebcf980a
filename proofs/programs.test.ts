import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const folder = import.meta.dirname
const files = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('.test.') && !file.includes('node_modules'))
  .map((file) => path.join(folder, file))
const codeOf = (file: string) => fs.readFileSync(file, 'utf8')

/** A program does its work while its file is loaded: it has statements outside of all functions. */
const isProgram = (code: string) =>
  /^(?:await |process\.|while \(|for \(|if \(|const .* = await )/m.test(code)

/** The file takes values, not only types, from these files. */
const valuesFrom = (file: string) =>
  [...codeOf(file).matchAll(/^(?:import|export) (?!type )(?:\{([^}]*)\} from )?'(\.[^']+)'/gm)]
    .filter(([, names]) => names?.split(',').some((name) => name.trim() && !name.trim().startsWith('type ')))
    .map(([, , from = '']) => path.resolve(path.dirname(file), from))

it('takes only types from a program, which would run instead', () => {
  const programs = new Set(files.filter((file) => isProgram(codeOf(file))))
  expect([...programs].map((file) => path.relative(folder, file))).toContain('bench/ingest-lag/load.ts')
  expect(
    files.flatMap((file) =>
      valuesFrom(file)
        .filter((from) => programs.has(from))
        .map((from) => `${path.relative(folder, file)} imports ${path.relative(folder, from)}`),
    ),
  ).toEqual([])
})

it('runs only files that exist and export nothing', () => {
  const run = files.flatMap((file) => {
    const named = (pattern: RegExp, from: string) =>
      [...codeOf(file).matchAll(pattern)].map(([, name = '']) => path.resolve(from, name))
    return [
      ...named(/processOf\(\s*'([^']+)'/g, path.join(folder, 'prove/faults')),
      ...named(/import\.meta\.dirname, '([^']+\.ts)'/g, path.dirname(file)),
    ]
  })
  expect(run.length).toBeGreaterThan(10)
  const isProgramFile = (file: string) =>
    fs.existsSync(file) && !/^export (?!type |interface )/m.test(codeOf(file))
  expect(run.filter((file) => !isProgramFile(file)).map((file) => path.relative(folder, file))).toEqual([])
})
