import fs from 'node:fs'
import path from 'node:path'
import type { BrowserContext } from '@playwright/test'

/** The list has every page of `app/` by its address there, such as `/transactions/[uuid]`. */
export const listRoutes = (): string[] =>
  fs
    .globSync('app/**/page.tsx')
    .map((file) => `/${path.dirname(file).split(path.sep).slice(1).filter(isPart).join('/')}`)
    .sort()

/** A group of pages in parentheses is no part of the address. */
const isPart = (name: string) => !name.startsWith('(')

export type Visitor = 'nobody' | 'admin@demo.test' | 'ana@demo.test'

/** The visitor opens this page. */
export function visitorOf(route: string): Visitor {
  if (['/sign-in', '/sign-up', '/set-up'].includes(route)) return 'nobody'
  return /^\/account(\/|$)/.test(route) ? 'ana@demo.test' : 'admin@demo.test'
}

/**
 * The function finds an address of this page. For a page of one thing it follows the first link to such a page on the
 * nearest page above. It answers null when there is none.
 */
export async function findAddress(
  context: BrowserContext,
  url: string,
  route: string,
): Promise<string | null> {
  if (!route.includes('[')) return route
  const others = listRoutes()
  const above = others.findLast((other) => !other.includes('[') && route.startsWith(`${other}/`))
  if (above === undefined) return null
  const pattern = new RegExp(`^${route.replaceAll(/\[[^\]]+\]/g, '[^/?#]+')}$`)
  const page = await context.newPage()
  await page.goto(`${url}${above}`, { waitUntil: 'load' })
  let found: string | undefined
  for (let tries = 0; tries < 20 && found === undefined; tries++) {
    const links = await page
      .locator('main a[href]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    found = links.find((link) => pattern.test(link) && !others.includes(link))
    if (found === undefined) await page.waitForTimeout(100)
  }
  await page.close()
  return found ?? null
}
