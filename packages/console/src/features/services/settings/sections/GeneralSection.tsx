/** General: description, source, region, and whether the service is active. */
import { repositoryList } from '@slipway/contract/service/service-operations.ts';
import { Combobox } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { useQuery } from '#kit/api/query.ts';
import { fieldProps, NumberSetting, SelectSetting, SwitchSetting, TextSetting } from './fields.tsx';
import { Section } from './Section.tsx';
import { useSettingField, useSettings, useSettingValue } from '#features/services/settings/settings-context.ts';

export function GeneralSection() {
  const { place, view } = useSettings();
  const isActive = useSettingValue<boolean>('active');
  return (
    <Section name="general">
      <FormRow help="Can’t be changed. Copy the service to move it.">
        <div className="pair">
          <Field label="Name">
            <Input readOnly value={place.service} />
          </Field>
          <Field label="Environment">
            <Input readOnly value={place.env === 'production' ? 'Production' : 'Development'} />
          </Field>
        </div>
      </FormRow>
      <FormRow help="A push to its default branch builds an image and deploys it to development.">
        <RepositorySetting />
      </FormRow>
      <FormRow
        help={
          <>
            Where the images of this service are, without a tag. They are the app’s own: <code>{view.imagePrefix}…</code>
          </>
        }
      >
        <TextSetting path="spec.containerImageName" isMono />
      </FormRow>
      <FormRow help="Changing it restarts the service there.">
        <SelectSetting path="spec.region" />
      </FormRow>
      <FormRow help="An inactive service keeps its revisions and settings; its instances are stopped and nothing answers at its address.">
        <SwitchSetting path="active" words={isActive ? 'Active' : 'Stopped'} />
      </FormRow>
      <FormRow help="Left empty, the service always runs. Stopped services start again with the next deploy, or when they are activated.">
        <NumberSetting path="spec.scaleDownAfterDays" placeholder="Never" unit="days without a request" min={1} max={365} />
      </FormRow>
    </Section>
  );
}

function RepositorySetting() {
  const { place, isMember } = useSettings();
  const field = useSettingField<string | null>('githubRepositoryName');
  const { data, error } = useQuery(repositoryList, isMember && { params: { app: place.app } }, { pollMs: 0 });
  const chosen = data?.find(({ name }) => name === field.value);
  const none = { value: '', label: 'None' };
  const options = [
    none,
    ...(data ?? []).map(({ name, services }) => ({ value: name, label: name, note: services.join(', ') || 'no service yet' })),
  ];
  // Without the list, the user can still type the name.
  if (error && !data) return <TextSetting path="githubRepositoryName" isNullable hint="Its name alone" />;
  return (
    <Field {...fieldProps(field, chosen ? { hint: <CloneUrl url={chosen.cloneUrl} /> } : {})}>
      <Combobox
        options={options}
        value={field.value ?? ''}
        onChange={(next) => field.set(next || null)}
        searchLabel="Search the app’s repositories"
        emptyText="No repository fits"
        isLoading={!data}
        isReadOnly={field.isLocked}
      />
    </Field>
  );
}

/** A URL for git, not for a browser. */
function CloneUrl({ url }: { url: string }) {
  return (
    <>
      <code>{url}</code> <Copy text={`git clone ${url}`} what="git clone command" />
    </>
  );
}
