import { keepLogSmall, ownLogVariable } from './keep-log-small.ts'

// `startChild` makes each program load this first.

const file = process.env[ownLogVariable]
// Child processes write to the same log, but must not rotate it.
delete process.env[ownLogVariable]
if (file) keepLogSmall(file)
