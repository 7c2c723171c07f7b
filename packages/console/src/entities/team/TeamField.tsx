/** Form field for the owning team of a new app, one of the user's teams. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { useEffect } from 'react';
import { useWatch, type FieldPath, type FieldPathValue, type FieldValues } from 'react-hook-form';
import { useMe, useMyTeams } from './me.ts';
import { paths } from '#entities/paths.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';

export function TeamField<Values extends FieldValues>({ form, name }: { form: ApiForm<Values>; name: FieldPath<Values> }) {
  const { data: me } = useMe();
  const { data } = useMyTeams(me);
  const teams = data?.content.filter((team) => team.state === 'ACTIVE' || team.state === 'CREATING') ?? [];
  const value: unknown = useWatch({ control: form.control, name });
  const only = teams.length === 1 ? teams[0]?.id : undefined;
  useEffect(() => {
    // Preselects the only team. Known only after the teams are loaded.
    if (only && value === '') form.setValue(name, only as FieldPathValue<Values, typeof name>);
  }, [form, name, only, value]);
  if (data && teams.length === 0) {
    return (
      <Notice
        tone="warn"
        actions={
          <LinkButton size="sm" href={paths.newTeam()}>
            New Team
          </LinkButton>
        }
      >
        An app belongs to a team, and you are in none yet. Make one, or ask an owner of a team to add you.
      </Notice>
    );
  }
  return (
    <ComboboxField
      form={form}
      name={name}
      searchLabel="Search your teams"
      placeholder="Choose a team"
      emptyText="No team fits"
      options={teams.map((team) => ({ value: team.id, label: team.displayName, note: team.id }))}
      hint="Its members will be able to deploy."
    />
  );
}
