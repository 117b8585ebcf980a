import { readRequestContext } from '#lib/identity/sessions/read-request.ts'
import { checkImport } from '#lib/people/import/check-import.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { answerOwnPage, json } from '../../answer-caller.ts'

/** The body is a CSV file of people, and the query gives its name. The answer has the result of its check. */
export const POST = (request: Request) =>
  answerOwnPage(request, async (caller) => {
    const name = new URL(request.url).searchParams.get('name') ?? 'people.csv'
    const content = request.body ?? new ReadableStream({ start: (stream) => stream.close() })
    try {
      return json(await checkImport(caller, { name, content }, await readRequestContext()))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return json(wordRefusal('en', error), error.answer.status)
    }
  })
