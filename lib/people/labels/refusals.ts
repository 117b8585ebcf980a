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
    title: 'The first line names no column that is known here.',
    next: 'Nothing was imported. Give user_uuid for users whom the provider knows, or email, first_name, last_name and country for new people; customer_number beside either.',
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
    title: 'This import cannot go on.',
    next: 'It is running already, done, or no longer kept. Reload the page to see how it stands.',
  },
  'person-unknown': {
    title: 'The directory does not know this person.',
    next: 'Nothing was changed. Reload the page; if it stays so, import the person by uuid.',
  },
  'import-not-running': {
    title: 'This import is not running.',
    next: 'Reload the page to see how it stands.',
  },
  'import-unknown': { title: 'There is no such import.', next: 'Nothing was exported. Reload the page.' },
} as const satisfies Record<string, RefusalWords>
