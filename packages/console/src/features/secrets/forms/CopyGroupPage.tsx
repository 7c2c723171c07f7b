/** Copies a secret group's newest version to the other environment or to another name. The server copies the values directly. */
import { SecretGroupCopy, secretGroupCopy, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { RadioCardsField } from '#kit/form/ChoiceFields.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { paths } from '#entities/paths.ts';
import { GroupScreen } from '#features/secrets/GroupScreen.tsx';
import type { GroupPlace } from '#features/secrets/use-group.ts';

export function Component() {
  return <GroupScreen>{({ place, group }) => <CopyGroup place={place} group={group} />}</GroupScreen>;
}

function CopyGroup({ place, group }: { place: GroupPlace; group: SecretGroup | undefined }) {
  const reason = reasonOf(group?.can, 'copy');
  return (
    <PlainPage
      typeLabel="Secret group"
      name={`Copy ${place.group}`}
      title={[`Copy ${place.group}`, place.app, place.env]}
      lede={group ? `Version ${group.version} with ${count(group.keys.length, 'key')}. Nobody sees a value on the way.` : '\u00a0'}
    >
      {reason !== undefined && <Notice tone="warn">{reason}</Notice>}
      {group && reason === undefined && <CopyForm place={place} />}
    </PlainPage>
  );
}

const environmentCards = [
  { value: 'development', label: 'Development' },
  { value: 'production', label: 'Production' },
];

function CopyForm({ place }: { place: GroupPlace }) {
  const copy = useWrite(secretGroupCopy);
  const navigate = useNavigate();
  const other = place.env === 'production' ? 'development' : 'production';
  const form = useApiForm({
    schema: SecretGroupCopy,
    defaultValues: { environment: other as GroupPlace['env'], name: place.group },
    labels: { environment: 'Environment', name: 'Name' },
    onSubmit: async (body) => {
      await copy.send({ params: { ...place }, body });
      toast.success(`${place.group} is copied to ${body.environment}`);
      await navigate(paths.secretGroup({ app: place.app, env: body.environment, group: body.name }));
      await refresh({ kind: 'secretGroup', app: place.app });
    },
  });
  return (
    <PageForm
      form={form}
      label="Copy secret group"
      submitLabel="Copy secret group"
      busyLabel="Copying"
      cancelHref={paths.secretGroup(place)}
      aside={null}
    >
      <RadioCardsField form={form} name="environment" options={environmentCards} />
      <TextField form={form} name="name" spellCheck={false} autoCapitalize="off" hint="Lowercase letters, numbers and dashes." />
    </PageForm>
  );
}
