/** Pull access and rejected images. Shows how many images each severity would block before the policy is saved. */
import { vulnerabilitySeverities } from '@slipway/contract/registry/policy.ts';
import { scanOverviewView } from '@slipway/contract/registry/scan.ts';
import { DurationBar } from '@slipway/ui/figures/DurationBar.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { FormGroup, FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { useController, useWatch } from 'react-hook-form';
import { useQuery } from '#kit/api/query.ts';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { severityLabels } from '#features/registry/scan-labels.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import type { PolicyValues } from './policy-form.ts';
import css from './PolicyForm.module.css';

interface SecurityProps {
  form: ApiForm<PolicyValues>;
  place: RegistryPlace;
  start: PolicyValues;
}

export function SecuritySection({ form, place, start }: SecurityProps) {
  const isPublic = useController({ control: form.control, name: 'isPublic' }).field;
  const prevents = useController({ control: form.control, name: 'preventVulnerableImages' }).field;
  const severity = useController({ control: form.control, name: 'severity' }).field;
  return (
    <FormGroup title="Security" id="security">
      <FormRow help="When on, everyone who reaches the registry may pull without signing in. Pushing always needs a robot account.">
        <Switch label={form.labels['isPublic']} checked={isPublic.value} onChange={(event) => isPublic.onChange(event.target.checked)} />
        <p className="meta">{isPublic.value ? 'On: anyone may pull.' : 'Off: only members and robot accounts pull.'}</p>
        {isPublic.value && !start.isPublic && (
          <Notice tone="warn" isLive>
            Every image of {place.app} can then be read by everyone, with whatever was copied into it.
          </Notice>
        )}
      </FormRow>
      <FormRow help={<Stops form={form} place={place} />}>
        <Switch
          label={form.labels['preventVulnerableImages']}
          checked={prevents.value}
          onChange={(event) => prevents.onChange(event.target.checked)}
        />
        <p className="meta">An image that was never scanned is refused, too: nobody knows what is in it.</p>
        <Field
          label={form.labels['severity']}
          isGroup
          {...(severity.value === start.severity
            ? {}
            : {
                was: `was ${severityLabels[start.severity]}, now ${severityLabels[severity.value]}`,
                onPutBack: () => severity.onChange(start.severity),
              })}
        >
          <Segmented
            label="From this severity on"
            options={vulnerabilitySeverities.map((value) => ({ value, label: severityLabels[value] }))}
            value={severity.value}
            onChange={severity.onChange}
            isDisabled={!prevents.value}
          />
        </Field>
      </FormRow>
    </FormGroup>
  );
}

function Stops({ form, place }: Omit<SecurityProps, 'start'>) {
  const { data } = useQuery(scanOverviewView, { params: { ...place } });
  const severity = useWatch({ control: form.control, name: 'severity' });
  const prevents = useWatch({ control: form.control, name: 'preventVulnerableImages' });
  const unknown = data ? (data.outcomes.NOT_SCANNED ?? 0) + (data.outcomes.FAILED ?? 0) : 0;
  return (
    <>
      <p>
        New revisions of such an image are refused with 412 PROJECTPOLICYVIOLATION. What serves now is left alone.
        {data && ` Of your ${count(data.images, 'tagged image')} it stops:`}
      </p>
      {data && (
        <ul className={css.stops}>
          {[...vulnerabilitySeverities].reverse().map((one) => (
            <li key={one} className={css.stop} data-counts={prevents && one === severity}>
              <span>{severityLabels[one]}</span>
              <DurationBar value={data.stopped[one] / Math.max(1, data.images)} size="lg" />
              <span className="num">{data.stopped[one].toLocaleString('en')}</span>
            </li>
          ))}
        </ul>
      )}
      {unknown > 0 && <p className="meta">{count(unknown, 'image')} without a scan: stopped at every severity.</p>}
    </>
  );
}
