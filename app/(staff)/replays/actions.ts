'use server'

import {
  ExportResultsSchema,
  ResumeReplaySchema,
  StartReplaySchema,
  StopReplaySchema,
} from '#lib/endpoints/replays/replay-forms.ts'
import { allowResultsExport } from '#lib/endpoints/replays/replays.ts'
import { resumeReplay, startReplay, stopReplay } from '#lib/endpoints/replays/start-replay.ts'
import { action } from '#lib/identity/actions/action.ts'

export const startReplayAction = action(StartReplaySchema, 'replay-deliveries', startReplay)

export const stopReplayAction = action(StopReplaySchema, 'replay-deliveries', stopReplay)

export const resumeReplayAction = action(ResumeReplaySchema, 'replay-deliveries', resumeReplay)

export const allowResultsExportAction = action(ExportResultsSchema, 'replay-deliveries', allowResultsExport)
