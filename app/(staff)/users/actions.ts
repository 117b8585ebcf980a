'use server'
import { action } from '#lib/actions/action.ts'
import { addPerson } from '#lib/people/add-person.ts'
import { ListPeopleSchema, listPeople } from '#lib/people/list-people.ts'
import { NewPersonSchema } from '#lib/people/new-person.ts'
import { SetCustomerNumberSchema, setCustomerNumber } from '#lib/people/set-customer-number.ts'

export const listPeopleAction = action(ListPeopleSchema, 'see-everything', listPeople)

export const addPersonAction = action(NewPersonSchema, 'manage-people', addPerson)

export const setCustomerNumberAction = action(SetCustomerNumberSchema, 'work-on-cases', setCustomerNumber)
