/** A repository of the app: chosen from the list, or typed, for a repository created a moment ago. */
import { repositoryList, type Repository } from '@slipway/contract/service/service-operations.ts';
import type { ComboboxOption } from '@slipway/ui/form/Combobox.tsx';
import { useState, type ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import type { BoundField } from '#kit/form/bound-field.ts';

type Repo = z.infer<typeof Repository>;

export const useRepositories = (app: string): QueryResult<typeof repositoryList> =>
  useQuery(repositoryList, { params: { app } }, { pollMs: 0 });

const noteOf = ({ services, headCommit }: Repo): string => {
  if (headCommit === null) return 'empty';
  return services.length === 0 ? 'builds nothing yet' : `builds ${services.join(', ')}`;
};

/** Offers the typed text as an option even if it is not in the list. Validation reports what is wrong with it. */
const optionsOf = (repositories: readonly Repo[], typed: string, none: string | undefined): ComboboxOption[] => {
  const text = typed.trim();
  const found = repositories
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map((repository) => ({ value: repository.name, label: repository.name, note: noteOf(repository) }));
  const isNew = text !== '' && !repositories.some(({ name }) => name === text);
  return [
    ...(none !== undefined && text === '' ? [{ value: '', label: none }] : []),
    ...found,
    ...(isNew ? [{ value: text, label: text, note: 'not in the list' }] : []),
  ];
};

interface RepositoryFieldProps<Values extends FieldValues> extends BoundField<Values> {
  app: string;
  /** Label of the option for no repository, if that is allowed. */
  none?: string;
}

export function RepositoryField<Values extends FieldValues>({ app, none, hint, ...rest }: RepositoryFieldProps<Values>) {
  const [typed, setTyped] = useState('');
  const list = useRepositories(app);
  // The form itself explains missing access.
  const hasFailed = list.error && !list.data && !isStatus(list.error, 403);
  const words: ReactNode = hasFailed ? 'The repositories could not be loaded. Type the name.' : hint;
  return (
    <ComboboxField
      {...rest}
      isMono
      searchLabel="Search or type a repository"
      placeholder={none ?? 'Choose a repository'}
      emptyText={`${app} has no repository yet`}
      isLoading={list.isLoading}
      onSearch={setTyped}
      options={optionsOf(list.data ?? [], typed, none)}
      hint={words}
    />
  );
}
