import { keepLogSmall, ownLogVariable } from './keep-log-small.ts'

// `startChild` has each program load this first.

const file = process.env[ownLogVariable]
// What this program starts writes there too, but must not rotate it.
delete process.env[ownLogVariable]
if (file) keepLogSmall(file)
