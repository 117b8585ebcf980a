import { exportImport } from '#lib/people/import/list-imports.ts'
import { answerCsv, ticketOf } from '../../../answer-file.ts'

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

/** The CSV file has the result of each line of an import. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  return answerCsv(request, `import-${id}.csv`, (caller) => exportImport(caller, id, ticketOf(request)))
}
