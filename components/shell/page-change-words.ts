import type { PageChangeWords } from './page-change.tsx'

/** For staff. The server puts them into the page: they are no part of its scripts. */
export const pageChangeWords: PageChangeWords = {
  late: [
    'The next page takes longer than usual.',
    'The database may be busy. Nothing is lost: it opens as soon as it is there, or choose something else.',
  ],
  noServer: [
    'The server does not answer, so this page stays.',
    'Nothing is lost: the next one opens as soon as it answers, or choose something else.',
  ],
  noNetwork: [
    'There is no network, so this page stays.',
    'What is open here can be read on. Try again when the network is back.',
  ],
}
