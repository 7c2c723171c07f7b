/** A copy of a secret group's newest version: to the other environment, or under another name. Values go from store to store. */
import { SecretGroupCopy, secretGroupCopy, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { RadioCardsField } from '#kit/form/ChoiceFields.tsx';
import { Form } from '#kit/form/Form.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { GroupScreen } from '#features/secrets/GroupScreen.tsx';
import type { GroupPlace } from '#features/secrets/use-group.ts';

export function Component() {
  return <GroupScreen>{({ place, group }) => <CopyGroup place={place} group={group} />}</GroupScreen>;
}

function CopyGroup({ place, group }: { place: GroupPlace; group: SecretGroup | undefined }) {
  usePageTitle([`Copy ${place.group}`, place.app, place.env]);
  const reason = reasonOf(group?.can, 'copy');
  return (
    <>
      <PageHeader
        isList
        hasSkip={false}
        typeLabel="Secret group"
        name={`Copy ${place.group}`}
        lede={group ? `Version ${group.version} with ${count(group.keys.length, 'key')}. Nobody sees a value on the way.` : '\u00a0'}
      />
      <PageBody>
        {reason !== undefined && <Notice tone="warn">{reason}</Notice>}
        {group && reason === undefined && <CopyForm place={place} />}
      </PageBody>
    </>
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
    <div className="split split-form">
      <Form form={form} label="Copy secret group" hasGuard={false}>
        <RadioCardsField form={form} name="environment" options={environmentCards} />
        <TextField form={form} name="name" spellCheck={false} autoCapitalize="off" hint="Lowercase letters, numbers and dashes." />
        <div className="row">
          <Button type="submit" variant="primary" size="lg" isBusy={form.isBusy} busyLabel="Copying">
            Copy secret group
          </Button>
          <LinkButton href={paths.secretGroup(place)} variant="quiet" size="lg">
            Cancel
          </LinkButton>
        </div>
      </Form>
    </div>
  );
}
