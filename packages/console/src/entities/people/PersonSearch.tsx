/** Search field that adds a person to a list. */
import { userSearch, type Identity } from '@slipway/contract/identity.ts';
import { Combobox } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { useState } from 'react';
import { useQuery } from '#kit/api/query.ts';

/** Specification §9. */
const searchFrom = 3;

export type Person = Pick<Identity, 'id' | 'displayName' | 'email' | 'type'>;

export interface PersonSearchProps {
  /** Ids that are not offered. */
  taken: ReadonlySet<string>;
  label?: string;
  emptyText: string;
  error?: string | undefined;
  onAdd: (person: Person) => void;
}

export function PersonSearch({ taken, label = 'Add people', emptyText, error, onAdd }: PersonSearchProps) {
  const [text, setText] = useState('');
  const isLongEnough = text.trim().length >= searchFrom;
  const search = useQuery(userSearch, isLongEnough && { query: { query: text.trim() } }, { keepPreviousData: true, pollMs: 0 });
  const people = isLongEnough ? (search.data ?? []).filter((person) => !taken.has(person.id)) : [];
  return (
    <Field label={label} hint="Name or e-mail, at least three characters." error={error}>
      <Combobox
        searchLabel="Search people"
        placeholder="Search people"
        value={null}
        isLoading={isLongEnough && search.isLoading}
        emptyText={isLongEnough ? emptyText : 'Type at least three characters'}
        onSearch={setText}
        options={people.map((person) => ({ value: person.id, label: person.displayName, note: person.email ?? undefined }))}
        onChange={(id) => {
          const person = people.find((item) => item.id === id);
          if (person) onAdd(person);
        }}
      />
    </Field>
  );
}
