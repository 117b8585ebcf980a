'use server'
import { allowResultsExport } from '#lib/endpoints/replays/export-results.ts'
import {
  ExportResultsSchema,
  ResumeReplaySchema,
  StartReplaySchema,
  StopReplaySchema,
} from '#lib/endpoints/replays/replay-forms.ts'
import { resumeReplay } from '#lib/endpoints/replays/resume-replay.ts'
import { startReplay } from '#lib/endpoints/replays/start-replay.ts'
import { stopReplay } from '#lib/endpoints/replays/stop-replay.ts'
import { action } from '#lib/identity/actions/action.ts'

export const startReplayAction = action(StartReplaySchema, 'replay-deliveries', startReplay)

export const stopReplayAction = action(StopReplaySchema, 'replay-deliveries', stopReplay)

export const resumeReplayAction = action(ResumeReplaySchema, 'replay-deliveries', resumeReplay)

export const allowResultsExportAction = action(ExportResultsSchema, 'replay-deliveries', allowResultsExport)
