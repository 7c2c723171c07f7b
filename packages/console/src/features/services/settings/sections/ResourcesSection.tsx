/** Resource management: limits per instance, and number of instances. */
import { serviceMetrics } from '@slipway/contract/service/metrics.ts';
import { FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { megabytes } from '@slipway/ui/format/bytes.ts';
import { millicores } from '@slipway/ui/format/millicores.ts';
import { useQuery } from '#kit/api/query.ts';
import { NumberSetting, SegmentedSetting, SwitchSetting } from './fields.tsx';
import { peaksOf, type Peak } from './section-facts.ts';
import { Section } from './Section.tsx';
import { useSettings, useSettingsState, useSettingValue } from '#features/services/settings/settings-context.ts';
import css from './ResourcesSection.module.css';

const scaling = 'spec.template.replicaScaling';
const limits = {
  enforced: 'It gets no more CPU than that, and is stopped when it takes more memory.',
  observed: 'On this machine it is observed and not enforced.',
};

export function ResourcesSection() {
  const { view, isMember } = useSettings();
  const type = useSettingValue<string>(`${scaling}.scalingType`);
  return (
    <Section name="resources">
      <FormRow
        help={
          <>
            What each instance may use. {isMember && limits[view.engine.limits]} <Peaks />
          </>
        }
      >
        <div className="pair">
          <NumberSetting
            path="spec.resources.cpuMillicores"
            step={50}
            min={50}
            max={16_000}
            placeholder="250"
            hintOf={(value) => `${value} m = ${value / 1000} CPU`}
          />
          <NumberSetting
            path="spec.resources.memoryMegabytes"
            step={64}
            min={64}
            max={65_536}
            placeholder="256"
            hintOf={(value) => `${value} MB = ${Math.round((value / 1024) * 1000) / 1000} GB`}
          />
        </div>
      </FormRow>
      <FormRow help={<ScalingHelp isAutomatic={type === 'AUTO'} />}>
        <SegmentedSetting path={`${scaling}.scalingType`} />
        {type === 'AUTO' ? (
          <div className={css.numbers}>
            <NumberSetting path={`${scaling}.minReplicas`} min={1} max={10} placeholder="1" hint="1 to 10" />
            <NumberSetting path={`${scaling}.maxReplicas`} min={1} max={10} placeholder="10" hint="1 to 10" />
            <NumberSetting path={`${scaling}.cpuUtilization`} min={60} max={100} placeholder="80" hint="60 to 100, 70 recommended" />
          </div>
        ) : null}
        <NumberSetting
          path={`${scaling}.count`}
          min={0}
          max={10}
          placeholder="1"
          hint={type === 'AUTO' ? 'How many a new revision starts with' : '0 to 10'}
        />
      </FormRow>
      <FormRow help={view.engine.spot ?? 'This engine has one kind of machine only: the choice is kept for others.'}>
        <SwitchSetting path="spec.spotComputeEnabled" hint="Cheaper instances that may be ended at any time" />
      </FormRow>
    </Section>
  );
}

function ScalingHelp({ isAutomatic }: { isAutomatic: boolean }) {
  const spec = useSettingsState(({ draft }) => draft.spec);
  const { count, maxReplicas, cpuUtilization } = spec.template.replicaScaling;
  const { cpuMillicores, memoryMegabytes } = spec.resources;
  const most = isAutomatic ? maxReplicas : count;
  const all =
    most === null || cpuMillicores === null || memoryMegabytes === null || most === 0
      ? ''
      : ` At most ${(most * cpuMillicores) / 1000} CPU and ${megabytes(most * memoryMegabytes)} in all.`;
  if (isAutomatic)
    return `Adds an instance when the average passes ${cpuUtilization ?? '…'} %, and takes one away when it stays well below.${all}`;
  return count === 0 ? 'Nothing runs, and the address answers 503.' : `The same number at all times.${all}`;
}

function Peaks() {
  const { place } = useSettings();
  const { data } = useQuery(serviceMetrics, { params: { ...place }, query: { range: '14d' } }, { pollMs: 0 });
  const resources = useSettingsState(({ draft }) => draft.spec.resources);
  const base = useSettingsState(({ base: saved }) => saved.spec.resources);
  const peaks = data && peaksOf(data.points);
  if (!peaks) return null;
  return (
    <>
      The bars show the peak of the last 14 days; the tick is the limit of today.
      <span className={css.peaks}>
        <PeakRow label="CPU" peak={peaks.cpu} of={resources.cpuMillicores} today={base.cpuMillicores} write={millicores} />
        <PeakRow label="Memory" peak={peaks.memory} of={resources.memoryMegabytes} today={base.memoryMegabytes} write={megabytes} />
      </span>
    </>
  );
}

interface PeakRowProps {
  label: string;
  peak: Peak;
  of: number | null;
  today: number;
  write: (value: number) => string;
}
function PeakRow({ label, peak, of, today, write }: PeakRowProps) {
  if (peak === null || !of) return null;
  const share = `${Math.round((peak / of) * 100)} %`;
  return (
    <span className="row">
      <span className={css.peakLabel}>{label}</span>
      <Gauge
        label={`Peak of ${label}: ${write(peak)}, ${share} of ${write(of)}`}
        value={peak}
        of={of}
        limit={today < of ? today : undefined}
      >
        {share}
      </Gauge>
    </span>
  );
}
