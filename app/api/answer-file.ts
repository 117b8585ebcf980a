import type { Caller } from '#lib/access/caller.ts'
import { isSignedInStill } from '#lib/identity/sessions/read-session.ts'
import type { Format } from '#lib/platform/rules/file-text.ts'
import { answerCaller, json } from './answer-caller.ts'
import { streamOf } from './stream-of.ts'

export const typeOfFormat = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
} as const satisfies Record<Format, string>

type Read = (caller: Caller) => Promise<AsyncGenerator<string> | null>

/** Answers a signed-in caller with a file of CSV, sent while it is read: 404 when there is none, 401, 403. */
export const answerCsv = (request: Request, filename: string, read: Read): Promise<Response> =>
  answerFile(request, filename, typeOfFormat.csv, read)

/** The same for any type of text. What is under way breaks off when the caller is signed in no more, or has another role. */
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

/** What a request gives to show that its session was just allowed to fetch the file. */
export const ticketOf = (request: Request): string => new URL(request.url).searchParams.get('ticket') ?? ''
