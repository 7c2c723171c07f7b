/** The destination of a new password: a secret group, so that nobody sees it, or the screen, where it is shown once. */
import { RadioCards } from '@slipway/ui/form/RadioCards.tsx';
import { useController, type FieldPath, type FieldValues } from 'react-hook-form';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';

interface PasswordFieldProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  /** Form path of the secret group. Its value is undefined if the password is shown once. */
  name: FieldPath<Values>;
  /** Default name of the secret group. */
  group: string;
}

export function PasswordField<Values extends FieldValues>({ form, name, group }: PasswordFieldProps<Values>) {
  const { field } = useController({ control: form.control, name });
  const isKept = field.value !== undefined;
  return (
    <div className="stack stack-12">
      <RadioCards
        legend="The password"
        options={[
          { value: 'once', label: 'Show it once', note: 'To you, on the next page. Slipway keeps no copy.' },
          { value: 'group', label: 'Into a secret group', tag: 'for services', note: 'Services read it; nobody has to see it.' },
        ]}
        value={isKept ? 'group' : 'once'}
        onChange={(value) => field.onChange(value === 'group' ? group : undefined)}
      />
      {isKept && (
        <TextField
          form={form}
          name={name}
          isMono
          spellCheck={false}
          autoCapitalize="off"
          hint="A new group with everything a client needs."
        />
      )}
    </div>
  );
}
