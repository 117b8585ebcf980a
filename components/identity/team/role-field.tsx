import { Field } from '#components/ui/field.tsx'
import { Select } from '#components/ui/input.tsx'
import { roleLabels, roleMeanings } from '#lib/access/labels/role-labels.ts'
import { type StaffRole, staffRoles } from '#lib/access/rules/roles.ts'

/** The field chooses what a member may do, under the name `role`. */
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
