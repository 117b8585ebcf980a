import { exportResults } from '#lib/endpoints/replays/replays.ts'
import { answerCsv, ticketOf } from '../../../answer-file.ts'

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

/** The CSV file has the results of a replay. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  return answerCsv(request, `replay-${id}.csv`, (caller) => exportResults(caller, id, ticketOf(request)))
}
