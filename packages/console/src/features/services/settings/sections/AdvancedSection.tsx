/** Advanced: rarely needed settings, the settings as a file, and irreversible actions. */
import { serviceView } from '@slipway/contract/service/service.ts';
import { FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { FileCode, Power, Trash2 } from 'lucide-react';
import { useQuery } from '#kit/api/query.ts';
import { messageFor, reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { SwitchSetting } from './fields.tsx';
import { focusField } from '#features/services/settings/focus-field.ts';
import { Section } from './Section.tsx';
import { useSettings, useSettingValue } from '#features/services/settings/settings-context.ts';

export function AdvancedSection() {
  const { place, view, isLocked, store } = useSettings();
  const isActive = useSettingValue<boolean>('active');
  const { data: service } = useQuery(serviceView, { params: { ...place } });
  const removal = reasonOf(service?.can, 'delete');
  return (
    <Section name="advanced">
      <FormRow help="A companion of every instance that hands out secrets of the vault at run time.">
        <SwitchSetting
          path="spec.template.vaultProxyEnabled"
          disabledReason={view.engine.hasVaultProxy ? undefined : messageFor('NotOnThisEngine', { label: 'The vault proxy' })}
        />
      </FormRow>
      <FormRow help="All settings in one file, to keep under version control, to compare, and to bring back.">
        <Field label="As a file" isGroup>
          <div>
            <LinkButton href={paths.serviceYaml(place)} icon={<FileCode aria-hidden="true" />}>
              service.yaml
            </LinkButton>
          </div>
        </Field>
      </FormRow>
      <FormRow help="Deactivating stops all instances and keeps everything else. Deleting needs a service without revisions, and cannot be undone.">
        <Field label="Stop or delete" isGroup>
          <div className="row row-wrap">
            <Button
              icon={<Power aria-hidden="true" />}
              disabledReason={isLocked ? 'The settings cannot be edited now' : undefined}
              onClick={() => {
                store.set('active', !isActive);
                focusField('active');
              }}
            >
              {isActive ? 'Deactivate' : 'Activate'}
            </Button>
            <LinkButton href="?ask=delete" icon={<Trash2 aria-hidden="true" />} disabledReason={removal}>
              Delete service
            </LinkButton>
          </div>
        </Field>
      </FormRow>
    </Section>
  );
}
