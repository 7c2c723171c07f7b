/** The form of an app without a template: name, display name, team and macId, beside a preview. */
import { applicationCreate, ApplicationCreate } from '@slipway/contract/application.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { Package, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { CreationPanel } from '#entities/plan/CreationPanel.tsx';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { useMyTeamList } from '#entities/team/me.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { useWrite } from '#kit/api/write.ts';
import { PageForm } from '#kit/form/PageForm.tsx';
import { NameHint, toName } from '#entities/service/NameHint.tsx';
import { TeamField } from '#entities/team/TeamField.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { paths } from '#entities/paths.ts';

interface Values {
  id: string;
  displayName: string;
  teamId: string;
  macId: string;
}

/** Maps form values to the request. An empty display name becomes the app's name; an empty macId becomes null. */
const meant = ({ macId, displayName, ...rest }: Values): z.input<typeof ApplicationCreate> => ({
  ...rest,
  // An empty name has its own error, so the display name needs none.
  displayName: displayName.trim() || rest.id || 'app',
  macId: macId.trim() || null,
});
const schema = z.pipe(
  z.object({ id: z.string(), displayName: z.string(), teamId: z.string(), macId: z.string() }),
  z.pipe(z.transform(meant), ApplicationCreate),
);

export interface AppFormProps {
  initial: Values;
  /** The chosen catalog entry sets the macId, so the form does not ask for it. */
  isMacIdFixed?: boolean;
  /** Shown above the fields: the chosen catalog entry. */
  children?: ReactNode;
  /** Hint below the macId field. */
  macIdHint?: ReactNode;
}

export function AppForm({ initial, isMacIdFixed = false, children, macIdHint }: AppFormProps) {
  const create = useWrite(applicationCreate);
  const navigate = useNavigate();
  const form = useApiForm({
    schema,
    defaultValues: initial,
    labels: { id: 'App name', displayName: 'Display name', teamId: 'Team', macId: 'macId' },
    onSubmit: async (body) => {
      await create.send({ body, query: isMacIdFixed && body.macId ? { macAppId: body.macId } : {} });
      toast.success(`${body.id} is being created`);
      await navigate(paths.app({ app: body.id }));
      await refresh({ kind: 'app' });
    },
  });
  const id = useWatch({ control: form.control, name: 'id' });
  return (
    <PageForm
      form={form}
      label="New app"
      startsFocused
      submitLabel="Create app"
      busyLabel="Creating"
      cancelHref={paths.newApp()}
      aside={<WillBeMade form={form} />}
    >
      {children}
      <TextField
        form={form}
        name="id"
        spellCheck={false}
        autoCapitalize="off"
        normalise={toName}
        hint={<NameHint name={id} rules="Lowercase letters, numbers and dashes." />}
      />
      <TextField form={form} name="displayName" labelNote="optional" hint="As people say it; the app name where it is empty." />
      <TeamField form={form} name="teamId" />
      {!isMacIdFixed && (
        <TextField form={form} name="macId" labelNote="optional" isMono spellCheck={false} placeholder="MAC-00000" hint={macIdHint} />
      )}
    </PageForm>
  );
}

function WillBeMade({ form }: { form: ApiForm<Values> }) {
  const [id, teamId] = useWatch({ control: form.control, name: ['id', 'teamId'] });
  const team = useMyTeamList().find((item) => item.id === teamId);
  const name = id || 'app-name';
  return (
    <CreationPanel
      items={[
        {
          key: 'registry',
          label: 'Registry project',
          value: `${runtimeConfig().registryHost}/${name}`,
          highlight: name,
          note: 'Images of the app, for both environments',
          icon: <Package aria-hidden="true" />,
        },
        {
          key: 'access',
          label: 'Access',
          value: team?.displayName ?? 'The team that you choose',
          note: 'Members deploy; owners change and delete the app',
          icon: <Users aria-hidden="true" />,
        },
      ]}
    >
      You can delete all of it from the app’s menu.
    </CreationPanel>
  );
}
