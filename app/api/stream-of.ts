import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds from one look whether the file may go on to the next. */
const lookEvery = 500

/**
 * Asked for more only as the browser takes it. It breaks off once it may not go on, or nobody can say whether it may, so
 * that nobody takes what came for the whole file.
 */
export function streamOf(
  texts: AsyncGenerator<string>,
  mayGoOn: () => Promise<boolean>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let over = false

  async function watch() {
    for (;;) {
      await sleep(lookEvery, undefined, { ref: false })
      if (over) return
      // By this name Next knows that nothing of its own has failed.
      if (!(await mayGoOn()))
        throw new DOMException('Whoever fetches this is signed in no more', 'AbortError')
    }
  }

  return new ReadableStream({
    start(controller) {
      watch().catch((error: unknown) => {
        over = true
        controller.error(error)
        texts.return(undefined).catch(brokenOffAnyway)
      })
    },
    async pull(controller) {
      const { done, value } = await texts.next()
      if (over) return
      over = done === true
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      over = true
      await texts.return(undefined)
    },
  })
}

const brokenOffAnyway = () => undefined
