import { exportImport } from '#lib/people/import/export-import.ts'
import { answerCsv, ticketOf } from '../../../answer-file.ts'

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

/** What became of each line of an import, as CSV. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  return answerCsv(request, `import-${id}.csv`, (caller) => exportImport(caller, id, ticketOf(request)))
}
