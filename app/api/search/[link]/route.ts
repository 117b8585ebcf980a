import { exportLines } from '#lib/search/export-lines.ts'
import { answerCsv, ticketOf } from '../../answer-file.ts'

interface Context {
  readonly params: Promise<{ readonly link: string }>
}

/** The CSV file has the answers to the lines of a search, and is named by the day. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { link } = await params
  const name = `search-answers-${new Date().toISOString().slice(0, 10)}.csv`
  return answerCsv(request, name, (caller) => exportLines(caller, link, ticketOf(request)))
}
