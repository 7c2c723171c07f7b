/** Creates a team: code, name, and members. The creator becomes an owner. */
import type { Me } from '@slipway/contract/identity.ts';
import { TeamCreate, teamCreate } from '@slipway/contract/team.ts';
import * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { NewForm } from '#entities/resource/NewPage.tsx';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import { useMe } from '#entities/team/me.ts';
import { TextField } from '#kit/form/TextField.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { memberIds, MembersField, teamLabels } from './MembersField.tsx';

export function Component() {
  const { data: me } = useMe();
  return (
    <PlainPage name="New team" lede="A team owns apps. Its members deploy, its owners decide who is in.">
      {me && <NewTeamForm me={me} />}
    </PlainPage>
  );
}

function NewTeamForm({ me }: { me: Me }) {
  const form = useRunForm({
    route: teamCreate,
    schema: z.extend(TeamCreate, { memberIds, needsProductionApproval: z.boolean() }),
    defaultValues: { id: '', displayName: '', ownerIds: [me.id], memberIds: [], needsProductionApproval: false },
    labels: { id: 'Team code', ...teamLabels },
    inputOf: (body) => ({ body }),
    doneOf: ({ displayName }) => `${displayName} is being created`,
    hrefOf: ({ id }) => paths.team(id),
    hints: [{ kind: 'team' }],
  });
  return (
    <NewForm noun="team" form={form} cancelHref={paths.myTeams()}>
      <TextField
        form={form}
        name="id"
        spellCheck={false}
        autoCapitalize="off"
        hint="Lowercase letters, numbers and dashes, 2 to 25 characters. It cannot be changed."
      />
      <TextField form={form} name="displayName" hint="Shown in the console." />
      <MembersField form={form} people={[me]} />
    </NewForm>
  );
}
