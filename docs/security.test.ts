import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { namesIn } from '../test/names-in.ts'

const root = path.dirname(import.meta.dirname)
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')

/** ASVS 5.0.0 has these requirements of levels 1 and 2 in each section. */
const sections: [section: string, numbers: number[]][] = [
  ['1.1', [1, 2]],
  ['1.2', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ['1.3', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  ['1.4', [1, 2, 3]],
  ['1.5', [1, 2]],
  ['2.1', [1, 2, 3]],
  ['2.2', [1, 2, 3]],
  ['2.3', [1, 2, 3, 4]],
  ['2.4', [1]],
  ['3.2', [1, 2]],
  ['3.3', [1, 2, 3, 4]],
  ['3.4', [1, 2, 3, 4, 5, 6]],
  ['3.5', [1, 2, 3, 4, 5]],
  ['3.7', [1, 2]],
  ['4.1', [1, 2, 3]],
  ['4.2', [1]],
  ['4.3', [1, 2]],
  ['4.4', [1, 2, 3, 4]],
  ['5.1', [1]],
  ['5.2', [1, 2, 3]],
  ['5.3', [1, 2]],
  ['5.4', [1, 2, 3]],
  ['6.1', [1, 2, 3]],
  ['6.2', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ['6.3', [1, 2, 3, 4]],
  ['6.4', [1, 2, 3, 4]],
  ['6.5', [1, 2, 3, 4, 5]],
  ['6.6', [1, 2, 3]],
  ['6.8', [1, 2, 3, 4]],
  ['7.1', [1, 2, 3]],
  ['7.2', [1, 2, 3, 4]],
  ['7.3', [1, 2]],
  ['7.4', [1, 2, 3, 4, 5]],
  ['7.5', [1, 2]],
  ['7.6', [1, 2]],
  ['8.1', [1, 2]],
  ['8.2', [1, 2, 3]],
  ['8.3', [1]],
  ['8.4', [1]],
  ['9.1', [1, 2, 3]],
  ['9.2', [1, 2, 3, 4]],
  ['10.1', [1, 2]],
  ['10.2', [1, 2]],
  ['10.3', [1, 2, 3, 4]],
  ['10.4', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  ['10.5', [1, 2, 3, 4, 5]],
  ['10.6', [1, 2]],
  ['10.7', [1, 2, 3]],
  ['11.1', [1, 2]],
  ['11.2', [1, 2, 3]],
  ['11.3', [1, 2, 3]],
  ['11.4', [1, 2, 3, 4]],
  ['11.5', [1]],
  ['11.6', [1]],
  ['12.1', [1, 2, 3]],
  ['12.2', [1, 2]],
  ['12.3', [1, 2, 3, 4]],
  ['13.1', [1]],
  ['13.2', [1, 2, 3, 4, 5]],
  ['13.3', [1, 2]],
  ['13.4', [1, 2, 3, 4, 5]],
  ['14.1', [1, 2]],
  ['14.2', [1, 2, 3, 4]],
  ['14.3', [1, 2, 3]],
  ['15.1', [1, 2, 3]],
  ['15.2', [1, 2, 3]],
  ['15.3', [1, 2, 3, 4, 5, 6, 7]],
  ['16.1', [1]],
  ['16.2', [1, 2, 3, 4, 5]],
  ['16.3', [1, 2, 3, 4]],
  ['16.4', [1, 2, 3]],
  ['16.5', [1, 2, 3]],
  ['17.1', [1]],
  ['17.2', [1, 2, 3, 4]],
  ['17.3', [1, 2]],
]

const isMissing = ({ file, title }: { file: string; title: string }) =>
  !fs.existsSync(path.join(root, file)) || !read(file).includes(`'${title}'`)

const testsByFile = z.record(z.string(), z.array(z.string().min(1)).min(1))
const AsvsSchema = z.strictObject({
  applies: z.array(
    z.strictObject({
      chapter: z.string(),
      requirements: z.array(z.string()),
      words: z.string(),
      tests: testsByFile.optional(),
      remark: z.string().optional(),
    }),
  ),
  doesNotApply: z.array(z.strictObject({ requirements: z.array(z.string()), why: z.string() })),
})

const titlesIn = (tests: Record<string, string[]>) =>
  Object.entries(tests).flatMap(([file, titles]) => titles.map((title) => ({ file, title })))

const AttacksSchema = z.array(
  z.strictObject({
    attack: z.string().min(1),
    how: z.string().min(1).optional(),
    defences: z
      .array(
        z.strictObject({
          words: z.string().min(1),
          functions: z.record(z.string(), z.array(z.string().min(1)).min(1)).optional(),
          tests: testsByFile.refine((tests) => Object.keys(tests).length > 0),
        }),
      )
      .min(1),
  }),
)

describe('docs/attacks.json', () => {
  const defences = AttacksSchema.parse(JSON.parse(read('docs/attacks.json'))).flatMap((one) => one.defences)

  test('names tests that exist', () => {
    expect(defences.length).toBeGreaterThan(40)
    expect(defences.flatMap(({ tests }) => titlesIn(tests)).filter(isMissing)).toEqual([])
  })

  test('names functions where they are defined', () => {
    const named = new Map<string, Set<string>>()
    for (const { functions = {} } of defences) {
      for (const [file, names] of Object.entries(functions)) {
        named.set(file, new Set([...(named.get(file) ?? []), ...names]))
      }
    }
    const missing = [...named].flatMap(([file, names]) => [...names.difference(namesIn(file))])
    expect(named.size).toBeGreaterThan(30)
    expect(missing).toEqual([])
  })
})

describe('docs/asvs.json', () => {
  const { applies, doesNotApply } = AsvsSchema.parse(JSON.parse(read('docs/asvs.json')))
  const named = applies.flatMap(({ tests = {} }) => titlesIn(tests))

  test('has each requirement of levels 1 and 2 once, and no other', () => {
    const wanted = sections.flatMap(([section, numbers]) => numbers.map((number) => `${section}.${number}`))
    expect(wanted).toHaveLength(253)
    const listed = [...applies, ...doesNotApply].flatMap(({ requirements }) => requirements)
    expect(listed.toSorted()).toEqual(wanted.toSorted())
  })

  test('names a test for each that applies, or says why there is none', () => {
    expect(applies.length).toBeGreaterThan(150)
    const silent = applies.filter(
      ({ tests, remark = '' }) => !tests && !/^(No test|Not met): .{10}/.test(remark),
    )
    expect(silent).toEqual([])
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter(isMissing)).toEqual([])
  })

  test('names only files of tests as tests, and elsewhere only files that exist', () => {
    expect(named.filter(({ file }) => !/\.(test|spec)\.ts$/.test(file))).toEqual([])
    const paths = applies.flatMap(({ remark = '' }) => remark.match(/[\w./-]+\.(?:md|ts)\b/g) ?? [])
    expect(paths.length).toBeGreaterThan(10)
    expect(paths.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([])
    expect(paths.filter((file) => /\.(test|spec)\.ts$/.test(file))).toEqual([])
  })

  test('says why what does not apply does not', () => {
    expect(doesNotApply.filter(({ why }) => why.length < 10)).toEqual([])
  })
})

test('a name that no test has, and a file that is none, are missed', () => {
  const file = 'docs/security.test.ts'
  const titles = ['a name that no test has, and a file that is none, are missed', `one that there is not`]
  expect(titlesIn({ [file]: titles }).filter(isMissing)).toEqual([{ file, title: titles[1] }])
  expect(isMissing({ file: 'docs/none.test.ts', title: 'another' })).toBe(true)
})
