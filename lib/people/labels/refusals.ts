import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const peopleRefusals = {
  'person-is-member': {
    title: 'This person is a member of the team.',
    next: 'Nothing was changed. Remove them from the team first.',
  },
  'import-empty': {
    title: 'There is nobody in this file.',
    next: 'Nothing was imported. The first line names the columns; each further line is one person.',
  },
  'import-too-long': {
    title: 'There are more than {most} people in this file.',
    next: 'Nothing was imported. Divide it, and import the parts one after the other.',
  },
  'import-no-columns': {
    title: 'The first line names no known column.',
    next: 'Nothing was imported. Known users need user_uuid. New people need email, first_name, last_name and country. Both can have customer_number.',
  },
  'import-columns-missing': {
    title: 'The first line lacks columns of new people: {missing}.',
    next: 'Nothing was imported. These columns are not known: {unknown}. Known users need only user_uuid.',
  },
  'import-not-utf8': {
    title: 'The first line is not UTF-8.',
    next: 'Nothing was imported. Save the file again in the encoding UTF-8; Excel calls it “CSV UTF-8”.',
  },
  'import-line-too-long': {
    title: 'A line of this file is longer than 64 KB.',
    next: 'Nothing was imported. Each line is one person; check how the file ends its lines.',
  },
  'import-too-large': {
    title: 'This file is larger than 32 MB.',
    next: 'Nothing was imported. Divide it, and import the parts one after the other.',
  },
  'import-not-startable': {
    title: 'This import cannot be resumed.',
    next: 'It is running already, done, or no longer kept. Reload the page to see its status.',
  },
  'person-unknown': {
    title: 'The directory does not know this person.',
    next: 'Nothing was changed. Reload the page. If that does not help, import the person by ID.',
  },
  'import-not-running': {
    title: 'This import is not running.',
    next: 'Reload the page to see its status.',
  },
  'import-unknown': { title: 'There is no such import.', next: 'Nothing was exported. Reload the page.' },
} as const satisfies Record<string, RefusalWords>
