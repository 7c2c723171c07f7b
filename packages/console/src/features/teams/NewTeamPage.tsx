/** Creates a team: code, name, and members. The creator becomes an owner. */
import { teamCreate, TeamCreate } from '@slipway/contract/team.ts';
import type { Me } from '@slipway/contract/identity.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { useMe } from '#entities/team/me.ts';
import { useWrite } from '#kit/api/write.ts';
import { PageForm } from '#kit/form/PageForm.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { MembersField } from './MembersField.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { paths } from '#entities/paths.ts';

export function Component() {
  const { data: me } = useMe();
  return (
    <PlainPage name="New team" lede="A team owns apps. Its members deploy, its owners decide who is in.">
      {me && <NewTeamForm me={me} />}
    </PlainPage>
  );
}

/** The form always has a list of members, possibly empty. */
const schema = z.extend(TeamCreate, { memberIds: z.array(z.string()) });

function NewTeamForm({ me }: { me: Me }) {
  const create = useWrite(teamCreate);
  const navigate = useNavigate();
  const form = useApiForm({
    schema,
    defaultValues: { id: '', displayName: '', ownerIds: [me.id], memberIds: [] as string[] },
    labels: { id: 'Team code', displayName: 'Team name', ownerIds: 'Owners', memberIds: 'Members' },
    onSubmit: async (body) => {
      await create.send({ body });
      toast.success(`${body.displayName} is being created`, { href: paths.team(body.id) });
      await navigate(paths.team(body.id));
      await refresh({ kind: 'team' });
    },
  });
  return (
    <PageForm form={form} label="New team" startsFocused submitLabel="Create team" busyLabel="Creating" cancelHref={paths.myTeams()}>
      <TextField
        form={form}
        name="id"
        spellCheck={false}
        autoCapitalize="off"
        hint="Lowercase letters, numbers and dashes, 2 to 25 characters. It cannot be changed."
      />
      <TextField form={form} name="displayName" hint="As people say it." />
      <MembersField form={form} people={[me]} />
    </PageForm>
  );
}
