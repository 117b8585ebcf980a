import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ImportView } from '#lib/people/import/list-imports.ts'
import { importStateLabels } from './imports.tsx'

/** Each row is a file that was checked, with the results of its lines. */
export const ImportsTable = ({ imports }: { readonly imports: readonly ImportView[] }) => (
  <Table>
    <thead>
      <tr>
        <Th>File</Th>
        <Th>Status</Th>
        <Th numeric>Imported</Th>
        <Th numeric>Skipped</Th>
        <Th className="pl-6 max-sm:hidden">Checked</Th>
      </tr>
    </thead>
    <tbody>
      {imports.map(({ id, fileName, state, total, broken, done, failed, checkedAt }) => (
        <Tr key={id} className="relative hover:bg-hover">
          <Td className="h-auto w-[40%] min-w-32 whitespace-normal! py-2.5">
            <Link href={`/users/import/${id}`} data-row className="wrap-anywhere font-strong row-link">
              {fileName}
            </Link>
          </Td>
          <Td>
            <Pill tone={importStateLabels[state].tone}>{importStateLabels[state].label}</Pill>
          </Td>
          <Td numeric>
            {state === 'checked' ? (
              <span className="text-faint">–</span>
            ) : (
              <>
                {done.toLocaleString('en')}
                <span className="text-muted max-sm:hidden"> of {total.toLocaleString('en')}</span>
              </>
            )}
          </Td>
          <Td numeric className={broken + failed > 0 ? 'text-fail' : 'text-muted'}>
            {(broken + failed).toLocaleString('en')}
          </Td>
          <Td className="pl-6 text-muted max-sm:hidden">
            <Time at={checkedAt} />
          </Td>
        </Tr>
      ))}
    </tbody>
  </Table>
)
