import { walkInterruptions } from '../../test/interrupted-changes.ts'

walkInterruptions('usual')
