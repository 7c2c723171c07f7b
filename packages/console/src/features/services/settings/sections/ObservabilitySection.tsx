/** Observability: whether and where the service exposes its own metrics. */
import { FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { NumberSetting, SwitchSetting, TextSetting } from './fields.tsx';
import { Section } from './Section.tsx';
import { useSettingValue } from '#features/services/settings/settings-context.ts';

const metrics = 'spec.observability.metrics';

export function ObservabilitySection() {
  const isOn = useSettingValue<boolean>(`${metrics}.enabled`);
  const port = useSettingValue<number | null>('spec.exposedPort');
  return (
    <Section name="observability">
      <FormRow help="The platform reads the service’s own figures in the Prometheus text format and shows them beside CPU, memory and requests.">
        <SwitchSetting path={`${metrics}.enabled`} />
        {isOn && (
          <div className="pair">
            <TextSetting path={`${metrics}.path`} isMono placeholder="/metrics" />
            <NumberSetting
              path={`${metrics}.port`}
              min={1}
              max={65_535}
              placeholder={port === null ? 'Port' : String(port)}
              hint="Empty: the exposed port"
            />
          </div>
        )}
      </FormRow>
    </Section>
  );
}
