import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '#lib/access/caller.ts'
import { isSignedInStill } from '#lib/identity/sessions/read-session.ts'
import type { Format } from '#lib/platform/rules/csv.ts'
import { answerCaller, json } from './answer-caller.ts'

export const typeOfFormat = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
} as const satisfies Record<Format, string>

type Read = (caller: Caller) => Promise<AsyncGenerator<string> | null>

/**
 * A signed-in caller gets a CSV file, sent while it is read: 404 when there is none, 401 without a session, 403
 * without the permission.
 */
export const answerCsv = (request: Request, filename: string, read: Read): Promise<Response> =>
  answerFile(request, filename, typeOfFormat.csv, read)

/** The file may be of any text type. It breaks off when the caller is no longer signed in, or has another role. */
export const answerFile = (request: Request, filename: string, type: string, read: Read): Promise<Response> =>
  answerCaller(request, async (caller) => {
    const texts = await read(caller)
    if (!texts) return json({ error: 'There is nothing at this address' }, 404)
    const marked = type === typeOfFormat.csv ? withMark(texts) : texts
    const file = streamOf(marked, () => isSignedInStill(caller))
    return new Response(file, {
      headers: {
        'content-type': type,
        'content-disposition': `attachment; filename="${filename}"`,
        'cache-control': 'no-store',
      },
    })
  })

/** Spreadsheets read a file that begins with this mark as UTF-8; programs have NDJSON. */
async function* withMark(texts: AsyncGenerator<string>): AsyncGenerator<string> {
  yield '\ufeff'
  yield* texts
}

/** The ticket shows that the session was just allowed to fetch the file. */
export const ticketOf = (request: Request): string => new URL(request.url).searchParams.get('ticket') ?? ''

/** The stream checks this often, in ms, whether the file may go on. */
const checkEveryMs = 500

/**
 * The texts are made only as fast as the browser takes them. The stream fails once it may not go on, or nobody
 * knows whether it may, so that nobody takes a part for the whole file.
 */
export function streamOf(
  texts: AsyncGenerator<string>,
  mayGoOn: () => Promise<boolean>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let over = false

  async function watch() {
    for (;;) {
      await sleep(checkEveryMs, undefined, { ref: false })
      if (over) return
      // Next learns from this name that nothing of its own has failed.
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
      const { done, value } = await texts.next().catch((error: unknown) => {
        over = true
        throw error
      })
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
