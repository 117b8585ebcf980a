import { type StaffRole, staffRoles } from '#lib/domain/access/roles.ts'
import { roleLabels, roleMeanings } from '#lib/labels/role-labels.ts'
import { Field } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'

/** What a member may do, under the name `role`. */
export const RoleField = ({
  defaultValue,
  error,
}: {
  readonly defaultValue: StaffRole
  readonly error: string | undefined
}) => (
  <Field label="Role" error={error}>
    {(control) => (
      <Select {...control} name="role" defaultValue={defaultValue} required>
        {staffRoles.map((role) => (
          <option key={role} value={role}>
            {roleLabels[role]}: {roleMeanings[role]}
          </option>
        ))}
      </Select>
    )}
  </Field>
)
