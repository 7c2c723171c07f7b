/** The permissions of a robot account: resources and actions as the registry enforces them. Presets check related permissions. */
import { robotMatrix, robotPresets, type RobotPermission } from '@slipway/contract/registry/robot-account.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { useController } from 'react-hook-form';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import css from './PermissionMatrix.module.css';
import { cellOf, matrixColumns } from './robot-labels.ts';
import type { RobotValues } from './robot-form.ts';

const presets = [
  { value: 'pull', label: 'Pull' },
  { value: 'push', label: 'Pull and push' },
  { value: 'delete', label: 'Pull and delete' },
  { value: 'own', label: 'Own choice' },
] as const;
type Preset = (typeof presets)[number]['value'];

const presetOf = (chosen: readonly RobotPermission[]): Preset => {
  const fits = (preset: readonly RobotPermission[]): boolean =>
    preset.length === chosen.length && preset.every((item) => chosen.includes(item));
  if (fits(robotPresets.pull)) return 'pull';
  if (fits(robotPresets.push)) return 'push';
  return fits(robotPresets.delete) ? 'delete' : 'own';
};

export function PermissionMatrix({ form }: { form: ApiForm<RobotValues> }) {
  const { field, fieldState } = useController({ control: form.control, name: 'permissions' });
  const chosen: readonly RobotPermission[] = field.value;
  const toggle = (permission: RobotPermission): void =>
    field.onChange(chosen.includes(permission) ? chosen.filter((item) => item !== permission) : [...chosen, permission]);
  return (
    <div ref={(element) => field.ref(element && { focus: () => element.querySelector<HTMLElement>('td input')?.focus() })}>
      <Field
        label={form.labels['permissions']}
        labelNote="at least one"
        hint="It reaches this app alone. Repositories of other apps answer as if they did not exist."
        error={fieldState.error?.message}
        isGroup
      >
        <Segmented
          label="Usual choices"
          options={[...presets]}
          value={presetOf(chosen)}
          onChange={(preset) => preset !== 'own' && field.onChange([...robotPresets[preset]])}
        />
        <table className={css.matrix} aria-label="Permissions">
          <thead>
            <tr>
              <th scope="col">On</th>
              {matrixColumns.map(({ key, label }) => (
                <th key={key} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {robotMatrix.map((row) => (
              <tr key={row.resource}>
                <th scope="row">
                  <span className="strong">{row.label}</span>
                  <span className="meta">{row.description}</span>
                </th>
                {matrixColumns.map(({ key, label }) => {
                  const permission = cellOf(row, key);
                  return (
                    <td key={key}>
                      {permission === undefined ? (
                        <span aria-hidden="true">·</span>
                      ) : (
                        <Checkbox
                          className={css.cell}
                          label={
                            <span className="sr">
                              {label}: {row.label}
                            </span>
                          }
                          checked={chosen.includes(permission)}
                          onChange={() => toggle(permission)}
                          onBlur={field.onBlur}
                        />
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Field>
    </div>
  );
}
