import { expect, test } from 'vitest'
import { pagePermissions, permissionOfPage } from '#lib/access/rules/pages.ts'
import { actions, addresses, httpMethods } from './entries.ts'
import { filesOf, sourceOf } from './every-role.ts'
import { exportedNames } from './exported-names.ts'

test('every page and every method of a route has a line in test/entries.ts, and every line has one of them', () => {
  const methods = filesOf('route.ts').flatMap((file) =>
    exportedNames(sourceOf(file))
      .filter((name) => httpMethods.some((method) => method === name))
      .map((method) => `${method} ${file}`),
  )
  expect(Object.keys(addresses).toSorted()).toEqual([...filesOf('page.tsx'), ...methods].toSorted())
})

test('every page of the staff has its permission in pages.ts, as in the table', () => {
  const staff = Object.entries(addresses).filter(([file]) => file.startsWith('(staff)/'))
  for (const [file, [who, ...paths]] of staff)
    for (const address of paths) expect(permissionOfPage(address), file).toBe(who)
  expect(pagePermissions).toHaveLength(staff.length)
})

test('each server action has a line in test/entries.ts, and there is no other', () => {
  const inSources = filesOf('*.ts').flatMap((file) => {
    const source = sourceOf(file)
    return source.startsWith("'use server'") ? exportedNames(source).map((name) => `${file} ${name}`) : []
  })
  expect(Object.keys(actions).toSorted()).toEqual(inSources.toSorted())
})
