/** A list of people in a form, with a search to add more. */
import type { CatalogPerson } from '@slipway/contract/catalog/entry.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useController, type FieldPath, type FieldValues } from 'react-hook-form';
import { PersonSearch } from '#entities/team/index.ts';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import css from './PeopleField.module.css';

type Known = Pick<CatalogPerson, 'id' | 'displayName' | 'active'>;

interface Props<Values extends FieldValues> {
  form: ApiForm<Values>;
  /** A field with a list of ids. */
  name: FieldPath<Values>;
  /** People whose names are already loaded. */
  people: readonly Known[];
}

export function PeopleField<Values extends FieldValues>({ form, name, people }: Props<Values>) {
  const { field, fieldState } = useController({ control: form.control, name });
  const [found, setFound] = useState<readonly Known[]>([]);
  const known = new Map([...people, ...found].map((person) => [person.id, person]));
  const ids: readonly string[] = field.value ?? [];
  const set = (next: readonly string[]): void => field.onChange(next);
  return (
    <div className="stack stack-12" ref={(element) => field.ref(element && { focus: () => element.querySelector('button')?.focus() })}>
      <PersonSearch
        label={form.labels[name] ?? ''}
        taken={new Set(ids)}
        emptyText="Nobody fits, or all who fit are in the list"
        error={fieldState.error?.message}
        onAdd={(person) => {
          setFound([...found, { ...person, active: true }]);
          set([...ids, person.id]);
        }}
      />
      {ids.length > 0 && (
        <ul className={css.people} aria-label={form.labels[name]}>
          {ids.map((id) => {
            const person = known.get(id);
            const displayName = person?.displayName ?? id;
            return (
              <li key={id}>
                <Avatar name={displayName} />
                <span className="ell">{displayName}</span>
                {person?.active === false && <span className="meta">left</span>}
                <IconButton
                  className="push"
                  size="sm"
                  variant="quiet"
                  label={`Remove ${displayName}`}
                  icon={<X aria-hidden="true" />}
                  onClick={() => set(ids.filter((one) => one !== id))}
                />
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
