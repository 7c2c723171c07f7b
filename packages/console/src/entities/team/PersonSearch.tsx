/** A search for people by name or e-mail. The user picks one at a time. */
import { userSearch, type Identity } from '@slipway/contract/identity.ts';
import { Combobox } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { useState } from 'react';
import { useQuery } from '#kit/api/query.ts';

/** Specification §9. */
const searchFrom = 3;

export type Person = Pick<Identity, 'id' | 'displayName' | 'email' | 'type'>;

interface PersonSearchProps {
  label: string;
  /** Ids that are not offered. */
  taken: ReadonlySet<string>;
  /** Shown in the field. Absent if each pick is added elsewhere. */
  chosen?: Person | undefined;
  emptyText: string;
  error?: string | undefined;
  onAdd: (person: Person) => void;
}

export function PersonSearch({ label, taken, chosen, emptyText, error, onAdd }: PersonSearchProps) {
  const [text, setText] = useState('');
  const isLongEnough = text.trim().length >= searchFrom;
  const search = useQuery(userSearch, isLongEnough && { query: { query: text.trim() } }, { keepPreviousData: true, pollMs: 0 });
  const found = isLongEnough ? (search.data ?? []).filter((person) => !taken.has(person.id)) : [];
  const people = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
  return (
    <Field label={label} hint="Name or e-mail, at least three characters." error={error}>
      <Combobox
        searchLabel="Search people"
        placeholder="Search people"
        value={chosen?.id ?? null}
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
