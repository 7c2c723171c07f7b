/** Owners and members of a team in a form: current people with their roles, and a search to add more. */
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useController } from 'react-hook-form';
import * as z from 'zod/mini';
import { PersonSearch, type Person } from '#entities/team/index.ts';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import css from './MembersField.module.css';

type Role = 'owner' | 'member';
export const teamLabels = {
  displayName: 'Team name',
  ownerIds: 'Owners',
  memberIds: 'Members',
  needsProductionApproval: 'Changes in production',
};
/** A form always has a list of members, possibly empty. */
export const memberIds = z.array(z.string());
/** Any form with these two fields. */
export type MembersForm = { ownerIds: string[]; memberIds: string[] };

const roles: { value: Role; label: string }[] = [
  { value: 'owner', label: 'Owner' },
  { value: 'member', label: 'Member' },
];

/** `people`: identities whose names are already loaded, which are the current members and the user. */
export function MembersField<Values extends MembersForm>({ form, people }: { form: ApiForm<Values>; people: readonly Person[] }) {
  // The same form, typed as a form with these two fields.
  const control = (form as unknown as ApiForm<MembersForm>).control;
  const owners = useController({ control, name: 'ownerIds' });
  const members = useController({ control, name: 'memberIds' });
  const [found, setFound] = useState<readonly Person[]>([]);
  const known = new Map([...people, ...found].map((person) => [person.id, person]));
  const ownerIds = owners.field.value;
  const memberList = members.field.value;
  const setRole = (id: string, role: Role | undefined): void => {
    const without = (ids: string[]): string[] => ids.filter((item) => item !== id);
    owners.field.onChange(role === 'owner' ? [...without(ownerIds), id] : without(ownerIds));
    members.field.onChange(role === 'member' ? [...without(memberList), id] : without(memberList));
  };
  const add = (person: Person): void => {
    setFound([...found, person]);
    setRole(person.id, 'member');
  };
  const error = owners.fieldState.error?.message ?? members.fieldState.error?.message;
  // In order of addition, so that a role change does not move anyone.
  const shown = [...known.keys()].filter((id) => ownerIds.includes(id) || memberList.includes(id));
  return (
    <div
      className={`stack stack-12 ${css.members}`}
      ref={(element) => owners.field.ref(element && { focus: () => element.querySelector('button')?.focus() })}
    >
      <PersonSearch
        label="Add people"
        taken={new Set([...ownerIds, ...memberList])}
        emptyText="Nobody fits, or all who fit are in the team"
        error={error}
        onAdd={add}
      />
      <ul className={css.people} aria-label="Members of the team">
        {shown.map((id) => {
          const person = known.get(id);
          const name = person?.displayName ?? id;
          return (
            <li key={id} className={css.person}>
              <Avatar name={name} isMachine={person?.type === 'SERVICE_ACCOUNT'} />
              <span className={css.name}>
                <strong className="ell">{name}</strong>
                <span className="meta ell">{person?.email ?? (person?.type === 'SERVICE_ACCOUNT' ? 'Service account' : id)}</span>
              </span>
              <Segmented
                label={`Role of ${name}`}
                options={roles}
                value={ownerIds.includes(id) ? 'owner' : 'member'}
                onChange={(role) => setRole(id, role)}
              />
              <IconButton
                label={`Remove ${name}`}
                variant="quiet"
                size="sm"
                icon={<X aria-hidden="true" />}
                onClick={() => setRole(id, undefined)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
