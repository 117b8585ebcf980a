'use server'

import { action } from '#lib/identity/actions/action.ts'
import { EraseUserSchema, eraseUser } from '#lib/people/erasure/erase-user.ts'
import { allowExport, ExportUserSchema } from '#lib/people/erasure/export-user.ts'
import {
  allowImportExport,
  ExportImportSchema,
  ImportSchema,
  StartImportSchema,
  startImport,
  stopImport,
} from '#lib/people/import/list-imports.ts'
import { SearchPeopleSchema, searchPeople } from '#lib/people/list-people.ts'
import {
  addPerson,
  EndPersonSessionsSchema,
  endPersonSessions,
  NewPersonSchema,
  SetCustomerNumberSchema,
  setCustomerNumber,
} from '#lib/people/manage-people.ts'

export const searchPeopleAction = action(SearchPeopleSchema, 'see-everything', searchPeople)

export const addPersonAction = action(NewPersonSchema, 'manage-people', addPerson)

export const setCustomerNumberAction = action(SetCustomerNumberSchema, 'work-on-cases', setCustomerNumber)

export const endPersonSessionsAction = action(EndPersonSessionsSchema, 'manage-people', endPersonSessions)

export const startImportAction = action(StartImportSchema, 'manage-people', startImport)

export const stopImportAction = action(ImportSchema, 'manage-people', stopImport)

export const allowImportExportAction = action(ExportImportSchema, 'manage-people', allowImportExport)

export const eraseUserAction = action(EraseUserSchema, 'manage-people', eraseUser)

export const allowExportAction = action(ExportUserSchema, 'manage-people', allowExport)
