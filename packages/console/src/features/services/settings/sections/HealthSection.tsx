/** Health: how the platform checks that an instance can take traffic. */
import { Field } from '@slipway/ui/form/Field.tsx';
import { FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { planTextOf } from '@slipway/contract/pipeline/plan.ts';
import { fieldProps, NumberSetting, SegmentedSetting, SwitchSetting, TextSetting } from './fields.tsx';
import { checkTimesLabel, type CheckTimes } from './section-facts.ts';
import { Section } from './Section.tsx';
import { useSettingField, useSettingValue } from '#features/services/settings/settings-context.ts';
import css from './ResourcesSection.module.css';

const health = 'spec.template.healthCheck';
const typeHelp: Readonly<Record<string, string>> = {
  http: 'A GET request; every answer from 200 to 399 is healthy.',
  tcp: 'A connection; an instance that accepts it is healthy.',
  exec: 'A command run beside the instance; exit code 0 is healthy.',
};

export function HealthSection() {
  const isOn = useSettingValue<boolean>(`${health}.enabled`);
  const type = useSettingValue<string>(`${health}.type`);
  return (
    <Section name="health">
      <FormRow help="A new revision takes over when its instances are healthy; an instance that fails gets no more traffic.">
        <SwitchSetting path={`${health}.enabled`} />
        {!isOn && <Notice tone="warn">{planTextOf({ code: 'NoHealthCheck', context: {} })}</Notice>}
      </FormRow>
      {isOn && (
        <>
          <FormRow help={typeHelp[type]}>
            <SegmentedSetting path={`${health}.type`} />
            <Target type={type} />
          </FormRow>
          <FormRow help={<Times />}>
            <div className={css.numbers}>
              <NumberSetting path={`${health}.config.initialDelaySeconds`} min={0} max={3600} placeholder="1" />
              <NumberSetting path={`${health}.config.periodSeconds`} min={1} max={3600} placeholder="10" />
              <NumberSetting path={`${health}.config.timeoutSeconds`} min={1} max={300} placeholder="2" />
            </div>
            <div className="pair">
              <NumberSetting path={`${health}.config.successThreshold`} min={1} max={20} placeholder="3" hint="Good answers in a row" />
              <NumberSetting path={`${health}.config.failureThreshold`} min={1} max={20} placeholder="1" hint="Bad ones in a row" />
            </div>
          </FormRow>
        </>
      )}
    </Section>
  );
}

function Target({ type }: { type: string }) {
  if (type === 'exec') return <CommandSetting />;
  if (type === 'tcp') return <NumberSetting path={`${health}.tcp.port`} min={1} max={65_535} placeholder="8080" />;
  return (
    <div className="pair">
      <TextSetting path={`${health}.http.path`} isMono placeholder="/healthz" />
      <NumberSetting path={`${health}.http.port`} min={1} max={65_535} placeholder="8080" />
    </div>
  );
}

function CommandSetting() {
  const field = useSettingField<string[]>(`${health}.exec.command`);
  return (
    <Field {...fieldProps(field, { hint: 'The program and its arguments, each on a line of its own' })}>
      <Textarea
        isMono
        rows={Math.max(2, field.value.length)}
        spellCheck={false}
        readOnly={field.isLocked}
        placeholder={'/app/check\n--ready'}
        value={field.value.join('\n')}
        onChange={({ target }) => field.set(target.value === '' ? [] : target.value.split('\n'))}
      />
    </Field>
  );
}

function Times() {
  const times = useSettingValue<CheckTimes>(`${health}.config`);
  return <span aria-live="polite">{checkTimesLabel(times)}</span>;
}
