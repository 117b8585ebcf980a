import { expect, test } from 'vitest'
import { declaredNames, exportedNames } from './exported-names.ts'

test.each([
  ['export async function GET() {}', ['GET']],
  ['export const GET = one, POST = other', ['GET', 'POST']],
  ['export const { GET, handle: POST } = handlers', ['GET', 'POST']],
  [`export { answer as GET, answer as POST } from './answer.ts'`, ['GET', 'POST']],
  ['const PUT = 1\nexport { PUT }\nfunction POST() {}', ['PUT']],
  [`export type { POST } from './types.ts'\nexport interface GET {}`, []],
])('%s exports %j', (source, names) => {
  expect(exportedNames(source)).toEqual(names)
})

test('whatever another module has is no list of names', () => {
  expect(() => exportedNames(`export * from './handlers.ts'`)).toThrow('Name each export by itself')
})

test.each([
  [
    'export interface A {}\nexport type B = A\nexport class C {}\nexport function d() {}',
    ['A', 'B', 'C', 'd'],
  ],
  ['const a = 1\ntype B = 2\nexport { a }\nexport const { c, d: e } = f', ['a', 'c', 'e']],
  [`export { a } from './a.ts'\nexport * from './b.ts'\nexport default function C() {}`, []],
])('%s declares %j for others', (source, names) => {
  expect(declaredNames(source)).toEqual(names)
})
