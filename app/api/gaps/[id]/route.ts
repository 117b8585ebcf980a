import { exportGap } from '#lib/endpoints/gaps/gaps.ts'
import { answerCsv, ticketOf } from '../../answer-file.ts'

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

/** The CSV file has the transactions that were open in a gap. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  return answerCsv(request, `gap-${id}.csv`, (caller) => exportGap(caller, id, ticketOf(request)))
}
