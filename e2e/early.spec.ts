import { expect, test } from './test.ts'

/** People type and send before the page's scripts run. Nothing of it is lost. */

test('a form that is sent before the page’s scripts run waits for them, or is left as it is', async ({
  page,
}) => {
  const { promise: wanted, resolve } = Promise.withResolvers<void>()
  await page.route(/\/_next\/static\/.*\.js/, (route) => wanted.then(() => route.continue()))
  await page.addInitScript(delayReact, 2_000)
  await page.goto('/sign-in', { waitUntil: 'commit' })
  const email = page.getByLabel('E-mail', { exact: true })
  const send = page.getByRole('button', { name: 'Send code' })
  await email.fill('nobody@demo.test')
  await send.click()
  await expect(email).toHaveValue('nobody@demo.test')
  resolve()
  // From now on the page keeps what React is not there to hear.
  await page.waitForFunction(() => 'next' in window)
  await send.click()
  await expect(email).toHaveValue('nobody@demo.test')
  await expect(page.getByLabel('Code', { exact: true })).toBeVisible()
})

test('what was typed before the page watches its fields is kept', async ({ page }) => {
  await page.addInitScript(delayReact, 300)
  await page.addInitScript(typeOnceTaken, 'nobody@demo.test')
  await page.goto('/sign-in')
  await expect(page.getByLabel('E-mail', { exact: true })).toHaveValue('nobody@demo.test')
  const drafts = () =>
    page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('rampart.draft.')))
  await expect.poll(drafts).toHaveLength(1)
})

/** React does each of its next steps so many milliseconds later. The function runs in the page. */
function delayReact(ms: number) {
  const send = MessagePort.prototype.postMessage
  MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown) {
    setTimeout(() => send.call(this, message), ms)
  }
}

/** The function types a text at the moment when React has taken the field over. It runs in the page. */
function typeOnceTaken(text: string) {
  const timer = setInterval(() => {
    const field = document.querySelector<HTMLInputElement>('input[name=email]')
    // React puts its own property over the one of all fields.
    if (!field || !Object.hasOwn(field, 'value')) return
    clearInterval(timer)
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }, 5)
}
