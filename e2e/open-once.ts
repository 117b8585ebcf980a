import { expect, type Page } from '@playwright/test'

/**
 * The page is opened once the server says these words in it. Until then it is asked for without the browser, to which each
 * load is a second of work.
 */
export async function openOnceItSays(page: Page, path: string, words: string) {
  const says = async () => {
    const text = await (await page.request.get(path)).text()
    return text.replaceAll('<!-- -->', '').includes(words)
  }
  await expect.poll(says, { message: `${path} says “${words}”`, timeout: 30_000 }).toBe(true)
  await page.goto(path)
}
