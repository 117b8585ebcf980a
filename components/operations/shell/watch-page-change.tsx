import { Callout } from '#components/ui/callout.tsx'
import { PageChangeLater } from './page-change-later.tsx'

/** Each message has a title and a sentence. */
export interface PageChangeWords {
  readonly late: readonly [string, string]
  readonly noServer: readonly [string, string]
  readonly noNetwork: readonly [string, string]
}

/**
 * The page watches that the next page comes, and the answers of this one. The server draws the messages, so they
 * are no part of the scripts.
 */
export const WatchPageChange = ({
  words: { late, noServer, noNetwork } = english,
}: {
  readonly words?: PageChangeWords
}) => (
  <PageChangeLater
    late={<Words of={late} />}
    noServer={<Words of={noServer} />}
    noNetwork={<Words of={noNetwork} />}
  />
)

const Words = ({ of: [title, next] }: { readonly of: readonly [string, string] }) => (
  <Callout kind="warning" title={title} className="shadow-float">
    {next}
  </Callout>
)

const english: PageChangeWords = {
  late: [
    'This takes longer than usual.',
    'The database may be busy. Nothing is lost: wait, or choose something else.',
  ],
  noServer: [
    'The server does not answer, so this page stays.',
    'Nothing is lost: wait for the answer, or choose something else.',
  ],
  noNetwork: [
    'There is no network, so this page stays.',
    'What is open here can be read on. Try again when the network is back.',
  ],
}
